import { Badge, Box, Button, Group, Menu, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { useOneClick } from '../../components/form/use-one-click.ts';
import { Row, RowList } from '../../components/list/row-list.tsx';
import { Icon, LinkButton } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { type Role, roleOptions, roleTexts, useMay, useSession } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { administratorsQuery } from '../../lib/data/queries.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import type { Administrator } from '../../lib/wire.ts';
import { inSentence, rich, t } from '../../lib/words/words.ts';
import classes from './administrators.module.css';
import { NewAdministratorDialog, ReachDialog, ResetPasswordDialog } from './dialogs.tsx';
import { type HandedLink, HandOverDialog, Invitations, InviteDialog } from './invitations.tsx';
import { readAdministrator } from './queries.ts';
import { reachWords } from './reach-fields.tsx';
import { SecondFactorRule } from './second-factor-rule.tsx';

export function AdministratorsPage() {
  const { data: administrators, error } = useQuery(administratorsQuery);
  const [isAdding, setAdding] = useState(false);
  const [isInviting, setInviting] = useState(false);
  const [given, setGiven] = useState<HandedLink>();
  const [resetting, setResetting] = useState<Administrator>();
  const [limiting, setLimiting] = useState<Administrator>();
  const [unprotecting, setUnprotecting] = useState<Administrator>();
  const mayWrite = useMay()('administrators.write');
  const { zone } = useServiceTimes();
  return (
    <>
      <PageHeader
        title={t('Administrators')}
        action={
          mayWrite && (
            <Group gap="xs">
              <LinkButton to="/administrators/single-sign-on" params={{}} icon="key" isPlain>
                {t('Single sign-on')}
              </LinkButton>
              <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
                {t('Add an administrator')}
              </Button>
              <Button variant="filled" onClick={() => setInviting(true)}>
                {t('Invite')}
              </Button>
            </Group>
          )
        }
      >
        {t('The people who sign in to this console. They are not users of your apps. Times are in {zone}.', { zone })}
      </PageHeader>
      <RowList rows={administrators} error={error}>
        {(administrator) => (
          <AdministratorRow
            key={administrator.adminId}
            administrator={administrator}
            isLocked={!mayWrite}
            onResetPassword={() => setResetting(administrator)}
            onLimit={() => setLimiting(administrator)}
            onResetFactors={() => setUnprotecting(administrator)}
            onLink={setGiven}
          />
        )}
      </RowList>
      <Invitations isLocked={!mayWrite} onLink={setGiven} />
      <SecondFactorRule isLocked={!mayWrite} without={administrators?.filter(hasNone).length ?? 0} />
      <dl className={classes.roles}>
        {Object.entries(roleTexts).map(([role, { label, sentence }]) => (
          <div key={role}>
            <dt>{label}</dt>
            <dd>{sentence}</dd>
          </div>
        ))}
      </dl>
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} onLink={setGiven} />
      <HandOverDialog given={given} onClose={() => setGiven(undefined)} />
      <NewAdministratorDialog isOpen={isAdding} onClose={() => setAdding(false)} />
      <ReachDialog target={limiting} onClose={() => setLimiting(undefined)} />
      <ResetPasswordDialog target={resetting} onClose={() => setResetting(undefined)} />
      <ConfirmedAction
        isOpen={unprotecting !== undefined}
        onClose={() => setUnprotecting(undefined)}
        title={t('Remove the second factors')}
        run={async () =>
          unprotecting && call('resetAdministratorFactors', { params: { adminId: unprotecting.adminId } })
        }
        done={t('{name} has no second factor any more.', { name: unprotecting?.name })}
        refresh={[administratorsQuery.queryKey]}
      >
        {rich(
          'For somebody who has lost the phone or the key. The authenticator app, all passkeys and the recovery codes of <b>{name}</b> are removed, and every session ends. Make sure that it is really {name} who asks.',
          { name: unprotecting?.name },
        )}
      </ConfirmedAction>
    </>
  );
}

const hasNone = ({ secondFactor, disabled }: Administrator) => !secondFactor && !disabled;

interface Change {
  readonly role?: Role;
  readonly disabled?: boolean;
}

interface RowProps {
  readonly administrator: Administrator;
  readonly isLocked: boolean;
  readonly onResetPassword: () => void;
  readonly onLimit: () => void;
  readonly onResetFactors: () => void;
  readonly onLink: (given: HandedLink) => void;
}

function AdministratorRow({ administrator, isLocked, onResetPassword, onLimit, onResetFactors, onLink }: RowProps) {
  const times = useServiceTimes();
  const { adminId, name, email, role, apps, disabled, secondFactor, createdAt } = administrator;
  const where = reachWords(apps);
  const isSelf = useSession().adminId === adminId;
  const oneClick = useOneClick<Administrator, Change>({
    name,
    read: () => readAdministrator(adminId),
    send: async (body, ifMatch) => (await call('changeAdministrator', { params: { adminId }, body, ifMatch })).result,
    refresh: [administratorsQuery.queryKey],
  });
  const change = useAction({
    run: (body: Change) => oneClick.change(body, (now) => now.role === role && now.disabled === disabled),
    done: (_, body) =>
      body.role ? t('{name} is now {role}.', { name, role: inSentence(roleTexts[body.role].label) }) : undefined,
    refresh: [administratorsQuery.queryKey],
  });
  const send = useAction({
    run: () => call('sendPasswordLink', { params: { adminId } }),
    done: ({ result }) => (result.mailed ? t('A mail to {email} is on its way.', { email }) : undefined),
    after: ({ result: { link } }) =>
      link !== null && onLink({ email, link, purpose: t('that account'), lasts: t('for a day') }),
  });
  return (
    <Row
      title={
        <>
          {name}{' '}
          {isSelf && (
            <Box component="span" c="dimmed" fw={400}>
              {t('(you)')}
            </Box>
          )}{' '}
          {secondFactor && <Badge color="teal">{t('Second factor')}</Badge>}{' '}
          {disabled && <Badge color="gray">{t('Off')}</Badge>}
        </>
      }
      facts={[email, where, t('since {date}', { date: times.date(createdAt) })]}
      tools={
        isLocked || isSelf ? (
          <Badge color="gray" size="lg" fw={500}>
            {roleTexts[role].label}
          </Badge>
        ) : (
          <>
            <NativeSelect
              aria-label={t('Role of {name}', { name })}
              data={roleOptions}
              value={role}
              onChange={({ currentTarget }) =>
                !change.isPending && change.mutate({ role: currentTarget.value as Role })
              }
            />
            <Menu>
              <Menu.Target>
                <Button aria-label={t('More about {name}', { name })}>{t('More')}</Button>
              </Menu.Target>
              <Menu.Dropdown>
                {role !== 'owner' && <Menu.Item onClick={onLimit}>{t('Apps and venues')}</Menu.Item>}
                {!disabled && <Menu.Item onClick={() => send.mutate()}>{t('Send a link to a new password')}</Menu.Item>}
                <Menu.Item onClick={onResetPassword}>{t('Set a new password')}</Menu.Item>
                {secondFactor && <Menu.Item onClick={onResetFactors}>{t('Remove the second factors')}</Menu.Item>}
                <Menu.Item
                  {...(disabled ? {} : { color: 'red' })}
                  onClick={() => change.mutate({ disabled: !disabled })}
                >
                  {disabled ? t('Switch on') : t('Switch off')}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </>
        )
      }
    />
  );
}

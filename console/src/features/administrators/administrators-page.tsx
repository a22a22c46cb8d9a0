import { Badge, Button, Group, Menu, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { RowList } from '../../components/list/row-list.tsx';
import blocks from '../../components/page/blocks.module.css';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { type Role, roleOptions, roleTexts, useMay, useSession } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { administratorsQuery } from '../../lib/data/queries.ts';
import { showDate } from '../../lib/time/time.ts';
import type { Administrator } from '../../lib/wire.ts';
import classes from './administrators.module.css';
import { NewAdministratorDialog, ResetPasswordDialog } from './dialogs.tsx';
import { type HandedLink, HandOverDialog, Invitations, InviteDialog } from './invitations.tsx';
import { SecondFactorRule } from './second-factor-rule.tsx';

export function AdministratorsPage() {
  const { data: administrators, error } = useQuery(administratorsQuery);
  const [isAdding, setAdding] = useState(false);
  const [isInviting, setInviting] = useState(false);
  const [given, setGiven] = useState<HandedLink>();
  const [resetting, setResetting] = useState<Administrator>();
  const [unprotecting, setUnprotecting] = useState<Administrator>();
  const mayWrite = useMay()('administrators.write');
  return (
    <>
      <PageHeader
        title="Administrators"
        action={
          mayWrite && (
            <Group gap="xs">
              <Button variant="default" component={Link} to="/administrators/single-sign-on">
                Single sign-on
              </Button>
              <Button variant="default" onClick={() => setAdding(true)}>
                Add an administrator
              </Button>
              <Button onClick={() => setInviting(true)}>Invite</Button>
            </Group>
          )
        }
      >
        The people who sign in to this console. They are not users of your apps.
      </PageHeader>
      <RowList rows={administrators} error={error}>
        {(administrator) => (
          <Row
            key={administrator.adminId}
            administrator={administrator}
            isLocked={!mayWrite}
            onResetPassword={() => setResetting(administrator)}
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
      <ResetPasswordDialog target={resetting} onClose={() => setResetting(undefined)} />
      <ConfirmedAction
        isOpen={unprotecting !== undefined}
        onClose={() => setUnprotecting(undefined)}
        title="Remove the second factors"
        confirm="Remove the second factors"
        run={async () =>
          unprotecting && call('resetAdministratorFactors', { params: { adminId: unprotecting.adminId } })
        }
        done={`${unprotecting?.name} has no second factor any more.`}
        refresh={[administratorsQuery.queryKey]}
      >
        For somebody who has lost the phone or the key. The authenticator app, all passkeys and the recovery codes of{' '}
        <b>{unprotecting?.name}</b> are removed, and every session ends. Make sure that it is really{' '}
        {unprotecting?.name} who asks.
      </ConfirmedAction>
    </>
  );
}

const hasNone = ({ secondFactor, disabled }: Administrator) => !secondFactor && !disabled;

interface RowProps {
  readonly administrator: Administrator;
  readonly isLocked: boolean;
  readonly onResetPassword: () => void;
  readonly onResetFactors: () => void;
  readonly onLink: (given: HandedLink) => void;
}

function Row({ administrator, isLocked, onResetPassword, onResetFactors, onLink }: RowProps) {
  const { adminId, name, email, role, disabled, secondFactor, createdAt } = administrator;
  const isSelf = useSession().adminId === adminId;
  const change = useAction({
    run: (body: { role?: Role; disabled?: boolean }) => call('changeAdministrator', { params: { adminId }, body }),
    done: (_, body) => (body.role ? `${name} is now ${roleTexts[body.role].label.toLowerCase()}.` : undefined),
    refresh: [administratorsQuery.queryKey],
  });
  const send = useAction({
    run: () => call('sendPasswordLink', { params: { adminId } }),
    done: ({ result }) => (result.mailed ? `A mail to ${email} is on its way.` : undefined),
    after: ({ result: { link } }) =>
      link !== null && onLink({ email, link, purpose: 'that account', lasts: 'for a day' }),
  });
  return (
    <li className={`${blocks.row} ${blocks.stacking}`}>
      <div className={blocks.grow}>
        <div className={blocks.title}>
          {name} {isSelf && <span className={classes.you}>(you)</span>}{' '}
          {secondFactor && (
            <Badge color="teal" variant="light">
              Second factor
            </Badge>
          )}{' '}
          {disabled && (
            <Badge color="gray" variant="light">
              Off
            </Badge>
          )}
        </div>
        <div className={blocks.meta}>
          <span>{email}</span>
          <span>since {showDate(createdAt)}</span>
        </div>
      </div>
      {isLocked || isSelf ? (
        <Badge variant="light" color="gray" tt="none" size="lg" fw={500}>
          {roleTexts[role].label}
        </Badge>
      ) : (
        <div className={blocks.tools}>
          <NativeSelect
            aria-label={`Role of ${name}`}
            data={roleOptions}
            value={role}
            disabled={change.isPending}
            onChange={(event) => change.mutate({ role: event.currentTarget.value as Role })}
          />
          <Menu>
            <Menu.Target>
              <Button variant="default" aria-label={`More about ${name}`}>
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {!disabled && <Menu.Item onClick={() => send.mutate()}>Send a link to a new password</Menu.Item>}
              <Menu.Item onClick={onResetPassword}>Set a new password</Menu.Item>
              {secondFactor && <Menu.Item onClick={onResetFactors}>Remove the second factors</Menu.Item>}
              <Menu.Item {...(disabled ? {} : { color: 'red' })} onClick={() => change.mutate({ disabled: !disabled })}>
                {disabled ? 'Switch on' : 'Switch off'}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </div>
      )}
    </li>
  );
}

import { Badge, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyField } from '../../components/code/copy-field.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { SecretDialog, SecretShownOnce } from '../../components/dialogs/shown-once.tsx';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { Row, RowButton, RowList } from '../../components/list/row-list.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { type Role, roleTexts } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { invitationsQuery } from '../../lib/data/queries.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { inSentence, rich, t } from '../../lib/words/words.ts';
import classes from './administrators.module.css';
import { createBody } from './dialogs.tsx';
import { type Reach, RoleFields, reachWords } from './reach-fields.tsx';

/** A link that nobody mails. */
export interface HandedLink {
  readonly email: string;
  readonly link: string;
  /** What it leads to, as the end of a sentence. */
  readonly purpose: string;
  /** How long it works. */
  readonly lasts: string;
}

const handed = (email: string, link: string): HandedLink => ({
  email,
  link,
  purpose: t('an account'),
  lasts: t('for seven days'),
});

/** The link is shown until it is copied: it cannot be read again. */
export function HandOverDialog({
  given,
  onClose,
}: {
  readonly given: HandedLink | undefined;
  readonly onClose: () => void;
}) {
  return (
    <SecretDialog isOpen={given !== undefined} onClose={onClose} title={t('Hand over this link')} hasSecret isWide>
      {given && (
        <SecretShownOnce
          warning={t(
            'This service sends no mail. Give the link to {email} yourself, and to nobody else: whoever opens it gets {purpose}. It works once and {lasts}, and is shown only now.',
            { email: given.email, purpose: given.purpose, lasts: given.lasts },
          )}
          stored={t('I have copied it')}
          onClose={onClose}
        >
          <CopyField label={t('Link')} text={given.link} />
        </SecretShownOnce>
      )}
    </SecretDialog>
  );
}

interface InviteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onLink: (given: HandedLink) => void;
}

export function InviteDialog({ isOpen, onClose, onLink }: InviteProps) {
  const fields = useFields({ email: '', role: 'editor' as Role, apps: null as Reach });
  const invite = useAction({
    run: () => call('inviteAdministrator', { body: createBody(fields.values) }),
    done: ({ result }) => (result.mailed ? t('A mail to {email} is on its way.', { email: result.email }) : undefined),
    refresh: [invitationsQuery.queryKey],
    showsError: true,
    after: ({ result }) => {
      onClose();
      if (result.link !== null) onLink(handed(result.email, result.link));
    },
  });
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title={t('Invite an administrator')}
      about={<Text>{t('The invited chooses a name and a password or a passkey.')}</Text>}
      form={fields}
      names={['email', 'role', 'apps', 'apps.']}
      submit={t('Invite')}
      isBusy={invite.isPending}
      onSubmit={() => invite.mutate(undefined, { onError: fields.setFailure })}
    >
      <TextInput
        label={t('E-mail')}
        type="email"
        autoComplete="off"
        data-autofocus
        required
        {...fields.text('email')}
      />
      <RoleFields fields={fields} />
    </DialogForm>
  );
}

interface ListProps {
  readonly isLocked: boolean;
  readonly onLink: (given: HandedLink) => void;
}

/** Invitations that were not accepted yet; nothing while there are none. */
export function Invitations({ isLocked, onLink }: ListProps) {
  const times = useServiceTimes();
  const { data: invitations, error } = useQuery(invitationsQuery);
  const [withdrawing, setWithdrawing] = useState<{ readonly invitationId: string; readonly email: string }>();
  const again = useAction({
    run: (invitationId: string) => call('sendInvitationAgain', { params: { invitationId } }),
    done: ({ result }) =>
      result.mailed ? t('Another mail to {email} is on its way.', { email: result.email }) : undefined,
    refresh: [invitationsQuery.queryKey],
    after: ({ result }) => result.link !== null && onLink(handed(result.email, result.link)),
  });
  if (!error && !invitations?.length) return null;
  return (
    <Stack className={classes.invitations} gap="xs">
      <h2>{t('Invited')}</h2>
      <RowList rows={invitations} error={error} label={t('Invitations')}>
        {({ invitationId, email, role, apps, invitedBy, expired, expiresAt }) => (
          <Row
            key={invitationId}
            title={
              <>
                {email} {expired && <Badge color="red">{t('Expired')}</Badge>}
              </>
            }
            facts={[
              t('as {role} {reach}', { role: inSentence(roleTexts[role].label), reach: reachWords(apps) }),
              t('by {invitedBy}', { invitedBy }),
              t('{hasExpired, select, true {until {date}} other {valid until {date}}}', {
                hasExpired: Boolean(expired),
                date: times.date(expiresAt),
              }),
            ]}
            tools={
              !isLocked && (
                <>
                  <RowButton
                    label={t('Send again')}
                    of={t('Send again to {email}', { email })}
                    isBusy={again.isPending && again.variables === invitationId}
                    onClick={() => again.mutate(invitationId)}
                  />
                  <RowButton
                    label={t('Withdraw')}
                    of={t('Withdraw the invitation of {email}', { email })}
                    onClick={() => setWithdrawing({ invitationId, email })}
                  />
                </>
              )
            }
          />
        )}
      </RowList>
      <ConfirmedAction
        isOpen={withdrawing !== undefined}
        onClose={() => setWithdrawing(undefined)}
        title={t('Withdraw the invitation')}
        confirm={t('Withdraw')}
        run={async () =>
          withdrawing && call('withdrawInvitation', { params: { invitationId: withdrawing.invitationId } })
        }
        done={t('The invitation was withdrawn.')}
        refresh={[invitationsQuery.queryKey]}
      >
        {rich('The link that <b>{email}</b> got no longer works.', {
          email: withdrawing?.email,
        })}
      </ConfirmedAction>
    </Stack>
  );
}

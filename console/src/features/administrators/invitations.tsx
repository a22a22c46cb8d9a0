import { Badge, Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyField } from '../../components/code/copy-field.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { SecretDialog, SecretShownOnce } from '../../components/dialogs/shown-once.tsx';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { RowList } from '../../components/list/row-list.tsx';
import blocks from '../../components/page/blocks.module.css';
import { useAction } from '../../lib/actions/use-action.ts';
import { type Role, roleOptions, roleTexts } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { invitationsQuery } from '../../lib/data/queries.ts';
import { showDate } from '../../lib/time/time.ts';
import classes from './administrators.module.css';

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
  purpose: 'an account',
  lasts: 'for seven days',
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
    <SecretDialog isOpen={given !== undefined} onClose={onClose} title="Hand over this link" hasSecret isWide>
      {given && (
        <SecretShownOnce
          warning={`This service sends no mail. Give the link to ${given.email} yourself, and to nobody else: whoever opens it gets ${given.purpose}. It works once and ${given.lasts}, and is shown only now.`}
          stored="I have copied it"
          onClose={onClose}
        >
          <CopyField label="Link" text={given.link} />
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
  const fields = useFields({ email: '', role: 'editor' as Role });
  const invite = useAction({
    run: () => call('inviteAdministrator', { body: fields.values }),
    done: ({ result }) => (result.mailed ? `A mail to ${result.email} is on its way.` : undefined),
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
      title="Invite an administrator"
      about={<Text size="sm">The invited chooses a name and a password or a passkey.</Text>}
      form={fields}
      names={['email', 'role']}
      submit="Invite"
      isBusy={invite.isPending}
      onSubmit={() => invite.mutate(undefined, { onError: fields.setFailure })}
    >
      <TextInput label="E-mail" type="email" autoComplete="off" data-autofocus required {...fields.text('email')} />
      <NativeSelect
        label="Role"
        description={roleTexts[fields.values.role].sentence}
        data={roleOptions}
        value={fields.values.role}
        onChange={(event) => fields.set('role', event.currentTarget.value as Role)}
      />
    </DialogForm>
  );
}

interface ListProps {
  readonly isLocked: boolean;
  readonly onLink: (given: HandedLink) => void;
}

/** Invitations that were not accepted yet; nothing while there are none. */
export function Invitations({ isLocked, onLink }: ListProps) {
  const { data: invitations, error } = useQuery(invitationsQuery);
  const [withdrawing, setWithdrawing] = useState<{ readonly invitationId: string; readonly email: string }>();
  const again = useAction({
    run: (invitationId: string) => call('sendInvitationAgain', { params: { invitationId } }),
    done: ({ result }) => (result.mailed ? `Another mail to ${result.email} is on its way.` : undefined),
    refresh: [invitationsQuery.queryKey],
    after: ({ result }) => result.link !== null && onLink(handed(result.email, result.link)),
  });
  if (!error && !invitations?.length) return null;
  return (
    <Stack className={classes.invitations} gap="xs">
      <h2>Invited</h2>
      <RowList rows={invitations} error={error} label="Invitations">
        {({ invitationId, email, role, invitedBy, expired, expiresAt }) => (
          <li key={invitationId} className={`${blocks.row} ${blocks.stacking}`}>
            <div className={blocks.grow}>
              <div className={blocks.title}>
                {email}{' '}
                {expired && (
                  <Badge color="red" variant="light">
                    Expired
                  </Badge>
                )}
              </div>
              <div className={blocks.meta}>
                <span>as {roleTexts[role].label.toLowerCase()}</span>
                <span>by {invitedBy}</span>
                <span>
                  {expired ? 'until' : 'valid until'} {showDate(expiresAt)}
                </span>
              </div>
            </div>
            {!isLocked && (
              <div className={blocks.tools}>
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`Send again to ${email}`}
                  loading={again.isPending && again.variables === invitationId}
                  onClick={() => again.mutate(invitationId)}
                >
                  Send again
                </Button>
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`Withdraw the invitation of ${email}`}
                  onClick={() => setWithdrawing({ invitationId, email })}
                >
                  Withdraw
                </Button>
              </div>
            )}
          </li>
        )}
      </RowList>
      <ConfirmedAction
        isOpen={withdrawing !== undefined}
        onClose={() => setWithdrawing(undefined)}
        title="Withdraw the invitation"
        confirm="Withdraw"
        run={async () =>
          withdrawing && call('withdrawInvitation', { params: { invitationId: withdrawing.invitationId } })
        }
        done="The invitation was withdrawn."
        refresh={[invitationsQuery.queryKey]}
      >
        The link that <b>{withdrawing?.email}</b> got no longer works.
      </ConfirmedAction>
    </Stack>
  );
}

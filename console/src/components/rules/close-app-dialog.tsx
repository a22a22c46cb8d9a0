import { Stack, Text } from '@mantine/core';
import { entityTag } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { dryRunQuery, rulesQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { FailureNote } from '../page/blocks.tsx';
import { DryRunList } from './dry-run-list.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly appId: string;
}

/** Asks, showing what it would have refused. */
export function CloseAppDialog({ isOpen, onClose, appId }: Props) {
  const params = { appId };
  const close = useAction({
    run: async () => {
      const [{ result: now }, { result: dryRun }] = await Promise.all([
        call('getAppRules', { params }),
        call('getDryRun', { params }),
      ]);
      const saved = await call('changeAppRules', { params, body: dryRun.closed, ifMatch: entityTag(now) });
      return { before: now.stored, saved: saved.result };
    },
    done: t('The app is closed to strangers.'),
    undo: ({ before, saved }) => call('changeAppRules', { params, body: before, ifMatch: entityTag(saved) }),
    refresh: [['apps', appId]],
    showsError: true,
    after: onClose,
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('Close the app to strangers')}
      confirm={t('Close it')}
      isBusy={close.isPending}
      failure={close.error?.message}
      onConfirm={() => close.mutate()}
    >
      <Consequences appId={appId} />
    </ConfirmDialog>
  );
}

function Consequences({ appId }: { readonly appId: string }) {
  const { data: dryRun, error } = useQuery({ ...dryRunQuery(appId), refetchOnMount: 'always' });
  const { data: rules } = useQuery(rulesQuery(appId));
  return (
    <Stack gap="sm">
      <Text>
        {t(
          'Everyone with the app can then read beacons and messages. Content, users and pushes are for managers; files, devices and records belong to whoever made them. What you have set yourself on the page Rules stays.',
        )}
      </Text>
      <FailureNote message={error?.message} />
      {dryRun?.isChosen ? (
        <Text>
          {t('What this would refuse is not known, because a dry run of other rules is being counted at the moment.')}
        </Text>
      ) : (
        dryRun && rules && <DryRunList dryRun={dryRun} rules={rules} />
      )}
    </Stack>
  );
}

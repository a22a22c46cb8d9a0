import { Alert, Text, Textarea, TextInput } from '@mantine/core';
import { operations } from '@pharos/sdk';
import { DialogForm } from '../../../components/form/dialog-form.tsx';
import { useFields } from '../../../components/form/use-fields.ts';
import { TextLink } from '../../../components/names/names.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { type Installation, tokenState } from '../../../lib/text/installation-words.ts';
import { t } from '../../../lib/words/words.ts';
import { installationKeys } from '../queries.ts';

interface Props {
  readonly appId: string;
  readonly installation: Installation;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A push to this one installation alone. */
export function TestMessage({ appId, installation, isOpen, onClose }: Props) {
  const form = useFields({ 'data.title': t('A test'), 'data.alert': t('This message is a test.') });
  const send = useAction({
    run: () => {
      const { 'data.title': title, 'data.alert': alert } = form.values;
      const body = { data: { title, alert }, where: { objectId: installation.objectId } };
      return dataOf(appId).call(operations.sendPush, { body });
    },
    done: t('The message is being sent.'),
    refresh: installationKeys(appId),
    showsError: true,
    after: onClose,
  });
  function submit() {
    form.setFailure(null);
    if (form.values['data.title'].trim() === '' && form.values['data.alert'].trim() === '') {
      form.setProblems([{ field: 'data.alert', problem: t('write something to send') }]);
      return;
    }
    send.mutate(undefined, { onError: form.setFailure });
  }
  const isUnreachable = tokenState(installation) !== 'live';
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title={t('Send a test message')}
      form={form}
      submit={t('Send')}
      isBusy={send.isPending}
      onSubmit={submit}
      about={
        <>
          <Text>{t('It is sent to this phone only.')}</Text>
          {isUnreachable && (
            <Alert color="yellow">
              {t('The phone has no valid push address, so the message will not arrive. Its delivery will say so.')}
            </Alert>
          )}
        </>
      }
      beside={
        <TextLink
          to="/apps/$appId/activity"
          params={{ appId }}
          search={{ list: 'deliveries', visitor: installation.objectId }}
        >
          {t('Its deliveries')}
        </TextLink>
      }
    >
      <TextInput label={t('Title')} maxLength={200} {...form.text('data.title')} />
      <Textarea label={t('Text')} minRows={2} {...form.text('data.alert')} data-autofocus />
    </DialogForm>
  );
}

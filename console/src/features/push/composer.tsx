import { Button, Group, TextInput } from '@mantine/core';
import type { Body } from '@pharos/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FormNotes } from '../../components/form/form-notes.tsx';
import { LeaveGuard } from '../../components/form/leave-guard.tsx';
import { useDraftFields } from '../../components/form/use-record-form.ts';
import { MessageLayout } from '../../components/message/message-layout.tsx';
import { Block, FailureNote } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataKey } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { AudienceBuilder } from './audience.tsx';
import { whereOfAudience } from './audience-fields.ts';
import classes from './push.module.css';
import { type ComposeFields, type ComposeForm, pushBody, pushFieldNames, pushProblems } from './push-fields.ts';
import { PushContent, PushPreview } from './push-message.tsx';
import { SendDialog } from './send-dialog.tsx';

interface ComposerProps {
  readonly appId: string;
  /** Names what is typed, on this device. */
  readonly draft: string;
  readonly start: ComposeFields;
  /** `idempotencyKey`: with it, the message is sent once however often this is called. */
  readonly send: (body: Body<'sendPush'>, idempotencyKey: string) => Promise<unknown>;
  /** Of a message that is scheduled already. */
  readonly isChange?: boolean;
}

/** The form of a push message: what it says, who receives it, and when. */
export function Composer({ appId, draft, start, send: sendBody, isChange = false }: ComposerProps) {
  const navigate = useNavigate();
  const times = useTimes(appId);
  const form = useDraftFields<ComposeFields>(draft, start);
  const { audience } = form.values;
  const [isAsking, setAsking] = useState(false);
  const [language, setLanguage] = useState('');
  const where = whereOfAudience(audience, times.zone);
  const send = useAction<boolean, boolean>({
    run: async (needsApproval) => {
      if (where === 'unfinished') throw new Error(t('The audience is incomplete.'));
      const body = pushBody(form.values, where, times.zone);
      await sendBody(body, form.keyOf(body));
      return needsApproval;
    },
    done: (needsApproval) => {
      if (needsApproval) return t('The message waits for somebody else to approve it.');
      return form.values.sendAt ? t('The message is scheduled.') : t('The message is being sent.');
    },
    refresh: [dataKey(appId, 'listPushes'), dataKey(appId, 'getPush')],
    showsError: true,
    after: () => {
      form.reset(start);
      return navigate({ to: '/apps/$appId/push', params: { appId } });
    },
  });
  function ask() {
    const problems = pushProblems(form.values, Date.now(), times.zone);
    form.setProblems(problems);
    if (problems.length === 0) setAsking(true);
  }
  function confirm(needsApproval: boolean) {
    send.mutate(needsApproval, {
      onError: (error) => {
        form.setFailure(error);
        setAsking(false);
      },
    });
  }
  return (
    <>
      <MessageLayout aside={<PushPreview appId={appId} values={form.values} language={language} />}>
        <LeaveGuard form={form} />
        <FormNotes form={form} />
        <FailureNote message={form.rest(pushFieldNames)} />
        <PushContent appId={appId} form={form} language={language} onLanguage={setLanguage} />
        <Block title={t('Who receives it')}>
          <AudienceBuilder appId={appId} value={audience} onChange={(next) => form.set('audience', next)} />
        </Block>
        <Timing form={form} zone={times.zone} />
        <Group mt="lg">
          <Button variant="filled" onClick={ask} disabled={where === 'unfinished'}>
            {isChange ? t('Save …') : form.values.sendAt ? t('Schedule …') : t('Send …')}
          </Button>
          <Button onClick={() => void navigate({ to: '/apps/$appId/push', params: { appId } })}>{t('Cancel')}</Button>
        </Group>
      </MessageLayout>
      <SendDialog
        appId={appId}
        fields={form.values}
        audience={audience}
        isOpen={isAsking}
        isBusy={send.isPending}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
      />
    </>
  );
}

function Timing({ form, zone }: { readonly form: ComposeForm; readonly zone: string }) {
  return (
    <Block title={t('When')} about={t('Times are in {zone}.', { zone })}>
      <div className={classes.pair}>
        <TextInput
          type="datetime-local"
          label={t('Send at')}
          description={t('Empty: immediately.')}
          {...form.text('sendAt')}
          error={form.problem('sendAt')}
        />
        <TextInput
          type="datetime-local"
          label={t('Expires at')}
          description={t('Empty: a day after sending.')}
          {...form.text('expiresAt')}
          error={form.problem('expiresAt')}
        />
      </div>
    </Block>
  );
}

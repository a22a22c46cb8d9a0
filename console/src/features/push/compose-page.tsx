import { Button, Group, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type Body, entityTag } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FileField } from '../../components/files/file-field.tsx';
import { FormNotes } from '../../components/form/form-notes.tsx';
import { LeaveGuard } from '../../components/form/leave-guard.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { useDraftFields } from '../../components/form/use-record-form.ts';
import { LanguageBlock } from '../../components/message/language-block.tsx';
import { MessageLayout } from '../../components/message/message-layout.tsx';
import { MyPhone } from '../../components/message/my-phone.tsx';
import { PhonePreview } from '../../components/message/phone-preview.tsx';
import { PreviewLanguage } from '../../components/message/preview-language.tsx';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { BackLink } from '../../components/page/record-page.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { inWords } from '../../lib/text/languages.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { AudienceBuilder } from './audience.tsx';
import { type Audience, audienceOf, whereOfAudience } from './audience-fields.ts';
import classes from './push.module.css';
import {
  byteSize,
  dataOfPush,
  emptyPush,
  fieldsOfPush,
  maxBytes,
  type PushFields,
  pushBody,
  pushFieldNames,
  pushProblems,
  timesOfPush,
  translatedFields,
} from './push-fields.ts';
import { waitsForApproval } from './push-states.ts';
import { pushQuery } from './queries.ts';
import { SendDialog } from './send-dialog.tsx';

const route = getRouteApi('/signed-in/apps/$appId/push/new');
const editRoute = getRouteApi('/signed-in/apps/$appId/push/$pushId/edit');

interface ComposeFields extends PushFields {
  readonly audience: Audience;
}

type Form = Fields<ComposeFields>;

export function ComposePage() {
  const { appId } = route.useParams();
  const { from } = route.useSearch();
  const { zone } = useTimes(appId);
  const { data: model, error } = useQuery({ ...pushQuery(appId, from ?? ''), enabled: from !== undefined });
  return (
    <>
      <SectionHeader title={t('Write a push message')}>
        <BackLink label={t('All push messages')} to="/apps/$appId/push" params={{ appId }} />
      </SectionHeader>
      <FailureNote message={error?.message} />
      {(from === undefined || model) && (
        <Composer
          // A zone that has just been loaded reads the times of the model.
          key={`${from} ${zone}`}
          appId={appId}
          draft={`push ${from ?? appId}`}
          start={model ? { ...fieldsOfPush(model), audience: audienceOf(model.where as never, zone) } : nothing}
          send={(body) => dataOf(appId).call('sendPush', { body })}
        />
      )}
    </>
  );
}

const nothing: ComposeFields = { ...emptyPush, audience: { kind: 'everyone' } };

/** Changes a message that waits for its time. */
export function EditPushPage() {
  const { appId, pushId } = editRoute.useParams();
  const { zone } = useTimes(appId);
  const { data: push, error } = useQuery({ ...pushQuery(appId, pushId), refetchOnWindowFocus: false });
  const waits = push?.state === 'accepted' && (push.sendAt !== undefined || waitsForApproval(push));
  return (
    <>
      <SectionHeader title={t('Change a scheduled message')}>
        <BackLink label={t('The message')} to="/apps/$appId/push/$pushId" params={{ appId, pushId }} />
      </SectionHeader>
      <FailureNote message={error?.message ?? (push && !waits ? tooLate : undefined)} />
      {push && waits && (
        <Composer
          key={`${pushId} ${zone}`}
          appId={appId}
          draft={`push ${pushId}`}
          start={{
            ...fieldsOfPush(push),
            ...timesOfPush(push, zone),
            audience: audienceOf(push.where as never, zone),
          }}
          send={(body) =>
            dataOf(appId).call('updatePush', { params: { objectId: pushId }, body, ifMatch: entityTag(push) })
          }
          isChange
        />
      )}
    </>
  );
}

const tooLate = t('It cannot be changed any more: it has gone out, is going out, or was cancelled.');

interface ComposerProps {
  readonly appId: string;
  /** Names what is typed, on this device. */
  readonly draft: string;
  readonly start: ComposeFields;
  readonly send: (body: Body<'sendPush'>) => Promise<unknown>;
  /** Of a message that is scheduled already. */
  readonly isChange?: boolean;
}

function Composer({ appId, draft, start, send: sendBody, isChange = false }: ComposerProps) {
  const navigate = useNavigate();
  const times = useTimes(appId);
  const form = useDraftFields<ComposeFields>(draft, start);
  const { audience } = form.values;
  const [isAsking, setAsking] = useState(false);
  const where = whereOfAudience(audience, times.zone);
  const send = useAction<boolean, boolean>({
    run: async (needsApproval) => {
      if (where === 'unfinished') throw new Error(t('The audience is incomplete.'));
      await sendBody(pushBody(form.values, where, times.zone));
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
      <MessageLayout aside={<Preview appId={appId} form={form} />}>
        <LeaveGuard form={form} />
        <FormNotes form={form} />
        <FailureNote message={form.rest(pushFieldNames)} />
        <Content appId={appId} form={form} />
        <LanguageBlock
          appId={appId}
          value={form.values}
          fields={translatedFields}
          own={wordsOf(form.values)}
          problem={(name) => form.problem(name)}
          onChange={form.setAll}
        />
        <Block title={t('Who receives it')}>
          <AudienceBuilder appId={appId} value={audience} onChange={(next) => form.set('audience', next)} />
        </Block>
        <Timing form={form} zone={times.zone} />
        <Group mt="lg">
          <Button onClick={ask} disabled={where === 'unfinished'}>
            {isChange ? t('Save …') : form.values.sendAt ? t('Schedule …') : t('Send …')}
          </Button>
          <Button variant="default" onClick={() => void navigate({ to: '/apps/$appId/push', params: { appId } })}>
            {t('Cancel')}
          </Button>
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

function Content({ appId, form }: { readonly appId: string; readonly form: Form }) {
  const data = dataOfPush(form.values);
  const size = data ? byteSize(data) : undefined;
  return (
    <Block title={t('The message')}>
      <Stack gap="md">
        <TextInput label={t('Title')} data-autofocus {...form.text('data.title')} />
        <Textarea label={t('Text')} autosize minRows={2} maxRows={8} {...form.text('data.alert')} />
        <TextInput
          label={t('Link')}
          description={t('What a tap opens: a web page or a deep link into the app.')}
          placeholder="https://"
          {...form.text('data.uri')}
        />
        <FileField
          appId={appId}
          kind="image"
          label={t('Picture')}
          description={t('Shown on phones that support pictures.')}
          value={form.values['data.image']}
          error={form.problem('data.image')}
          onChange={(address) => form.set('data.image', address)}
        />
        <div className={classes.pair}>
          <NumberInput
            label={t('Number on the icon')}
            description={t('0 removes it; empty leaves it unchanged.')}
            min={0}
            allowDecimal={false}
            hideControls
            {...form.number('data.badge')}
          />
          <TextInput
            label={t('Sound')}
            description={t('The name of a sound in the app.')}
            {...form.text('data.sound')}
          />
        </div>
        <Textarea
          label={t('Additional data for the app')}
          description={t('A JSON object that the app receives with the message.')}
          placeholder='{"hall": 2}'
          autosize
          minRows={2}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={form.values.extra}
          error={form.problem('extra') ?? form.problem('data')}
          onChange={({ currentTarget }) => form.set('extra', currentTarget.value)}
        />
        {size !== undefined && (
          <Text size="sm" c={size > maxBytes ? 'var(--mantine-color-error)' : 'dimmed'}>
            {t('{size, number} of {maxBytes, number} bytes', { size, maxBytes })}
          </Text>
        )}
      </Stack>
    </Block>
  );
}

function Timing({ form, zone }: { readonly form: Form; readonly zone: string }) {
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

const wordsOf = (values: ComposeFields) => ({
  title: values['data.title'],
  alert: values['data.alert'],
  uri: values['data.uri'],
});

function Preview({ appId, form: { values } }: { readonly appId: string; readonly form: Form }) {
  const { data: app } = useQuery(appQuery(appId));
  const times = useTimes(appId);
  const [language, setLanguage] = useState<string>();
  const translation = values.translations[language ?? ''];
  const { title, alert, uri } = inWords(wordsOf(values), translation);
  const image = values['data.image'].trim();
  const host = URL.canParse(image) ? new URL(image).host : undefined;
  return (
    <>
      <PreviewLanguage {...values} value={language} onChange={setLanguage} />
      <PhonePreview
        appName={app?.name ?? ''}
        title={title}
        body={alert || (title ? '' : t('Your message appears here.'))}
        picture={ownFilePath(image, appId)}
        attachment={host ? { icon: 'picture', text: t('Picture from {host}', { host }) } : undefined}
        link={uri.trim() || undefined}
        badge={typeof values['data.badge'] === 'number' ? values['data.badge'] : undefined}
        times={times}
      />
      <MyPhone appId={appId} data={inWords(dataOfPush(values) ?? {}, translation)} />
    </>
  );
}

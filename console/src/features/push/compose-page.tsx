import { Button, Group, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FileField } from '../../components/files/file-field.tsx';
import { FormNotes } from '../../components/form/form-notes.tsx';
import { LeaveGuard } from '../../components/form/leave-guard.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { useDraftFields } from '../../components/form/use-record-form.ts';
import { MessageLayout } from '../../components/message/message-layout.tsx';
import { PhonePreview } from '../../components/message/phone-preview.tsx';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { BackLink } from '../../components/page/record-page.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { useTimes } from '../../lib/time/times.ts';
import { AudienceBuilder } from './audience.tsx';
import { type Audience, whereOfAudience } from './audience-fields.ts';
import classes from './push.module.css';
import {
  byteSize,
  dataOfPush,
  emptyPush,
  maxBytes,
  type PushFields,
  pushBody,
  pushFieldNames,
  pushProblems,
} from './push-fields.ts';
import { SendDialog } from './send-dialog.tsx';

const route = getRouteApi('/signed-in/apps/$appId/push/new');

interface ComposeFields extends PushFields {
  readonly audience: Audience;
}

type Form = Fields<ComposeFields>;

export function ComposePage() {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const times = useTimes(appId);
  const form = useDraftFields<ComposeFields>(`push ${appId}`, { ...emptyPush, audience: { kind: 'everyone' } });
  const { audience } = form.values;
  const [isAsking, setAsking] = useState(false);
  const where = whereOfAudience(audience, times.zone);
  const send = useAction({
    run: async () => {
      if (where === 'unfinished') throw new Error('The audience is incomplete.');
      await dataOf(appId).call('sendPush', { body: pushBody(form.values, where, times.zone) });
    },
    done: form.values.sendAt ? 'The message is scheduled.' : 'The message is being sent.',
    refresh: [dataKey(appId, 'listPushes')],
    showsError: true,
    after: () => {
      form.reset({ ...emptyPush, audience: { kind: 'everyone' } });
      return navigate({ to: '/apps/$appId/push', params: { appId } });
    },
  });
  function ask() {
    const problems = pushProblems(form.values, Date.now(), times.zone);
    form.setProblems(problems);
    if (problems.length === 0) setAsking(true);
  }
  function confirm() {
    send.mutate(undefined, {
      onError: (error) => {
        form.setFailure(error);
        setAsking(false);
      },
    });
  }
  return (
    <>
      <SectionHeader title="Write a push message">
        <BackLink label="All push messages" to="/apps/$appId/push" params={{ appId }} />
      </SectionHeader>
      <MessageLayout aside={<Preview appId={appId} form={form} />}>
        <LeaveGuard form={form} />
        <FormNotes form={form} />
        <FailureNote message={form.rest(pushFieldNames)} />
        <Content appId={appId} form={form} />
        <Block title="Who receives it">
          <AudienceBuilder appId={appId} value={audience} onChange={(next) => form.set('audience', next)} />
        </Block>
        <Timing form={form} zone={times.zone} />
        <Group mt="lg">
          <Button onClick={ask} disabled={where === 'unfinished'}>
            {form.values.sendAt ? 'Schedule …' : 'Send …'}
          </Button>
          <Button variant="default" onClick={() => void navigate({ to: '/apps/$appId/push', params: { appId } })}>
            Cancel
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
    <Block title="The message">
      <Stack gap="md">
        <TextInput label="Title" data-autofocus {...form.text('data.title')} />
        <Textarea label="Text" autosize minRows={2} maxRows={8} {...form.text('data.alert')} />
        <TextInput
          label="Link"
          description="What a tap opens: a web page or a deep link into the app."
          placeholder="https://"
          {...form.text('data.uri')}
        />
        <FileField
          appId={appId}
          kind="image"
          label="Picture"
          description="Shown on phones that support pictures."
          value={form.values['data.image']}
          error={form.problem('data.image')}
          onChange={(address) => form.set('data.image', address)}
        />
        <div className={classes.pair}>
          <NumberInput
            label="Number on the icon"
            description="0 removes it; empty leaves it unchanged."
            min={0}
            allowDecimal={false}
            hideControls
            {...form.number('data.badge')}
          />
          <TextInput label="Sound" description="The name of a sound in the app." {...form.text('data.sound')} />
        </div>
        <Textarea
          label="Additional data for the app"
          description="A JSON object that the app receives with the message."
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
            {size.toLocaleString('en')} of {maxBytes.toLocaleString('en')} bytes
          </Text>
        )}
      </Stack>
    </Block>
  );
}

function Timing({ form, zone }: { readonly form: Form; readonly zone: string }) {
  return (
    <Block title="When" about={`Times are in ${zone}.`}>
      <div className={classes.pair}>
        <TextInput
          type="datetime-local"
          label="Send at"
          description="Empty: immediately."
          {...form.text('sendAt')}
          error={form.problem('sendAt')}
        />
        <TextInput
          type="datetime-local"
          label="Expires at"
          description="Empty: a day after sending."
          {...form.text('expiresAt')}
          error={form.problem('expiresAt')}
        />
      </div>
    </Block>
  );
}

function Preview({ appId, form: { values } }: { readonly appId: string; readonly form: Form }) {
  const { data: app } = useQuery(appQuery(appId));
  const times = useTimes(appId);
  const image = values['data.image'].trim();
  const host = URL.canParse(image) ? new URL(image).host : undefined;
  return (
    <PhonePreview
      appName={app?.name ?? ''}
      title={values['data.title']}
      body={values['data.alert'] || (values['data.title'] ? '' : 'Your message appears here.')}
      picture={ownFilePath(image, appId)}
      attachment={host ? { icon: 'picture', text: `Picture from ${host}` } : undefined}
      link={values['data.uri'].trim() || undefined}
      badge={typeof values['data.badge'] === 'number' ? values['data.badge'] : undefined}
      times={times}
    />
  );
}

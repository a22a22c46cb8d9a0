import { Alert, Badge, Button, FileInput, Group, Stack, Text, TextInput } from '@mantine/core';
import { errorOfAnswer } from '@pharos/sdk';
import { useState } from 'react';
import { CodeBlock } from '../../components/code/code-block.tsx';
import { CopyField } from '../../components/code/copy-field.tsx';
import { JsonEditor } from '../../components/code/json-editor.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Form } from '../../components/form/form.tsx';
import { Block, FailureNote } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { isSignedOut } from '../../lib/data/signing-in.ts';
import { pageHeaders } from '../../lib/data/whose-page.ts';
import { dataNeeds } from '../../lib/wire.ts';
import { rich, t } from '../../lib/words/words.ts';
import classes from './api.module.css';
import {
  type ApiOperation,
  draftCurl,
  type Parameter,
  type RequestDraft,
  requestBodyOf,
  requestPath,
} from './openapi.ts';

interface Props {
  readonly appId: string;
  readonly operation: ApiOperation;
}

/** Sends an operation as the signed-in administrator, and shows how an app would send it. */
export function TryIt({ appId, operation }: Props) {
  const body = requestBodyOf(operation);
  const isJson = body?.type === 'application/json';
  const [draft, setDraft] = useState<RequestDraft>({
    values: {},
    body: isJson ? JSON.stringify(body.example ?? {}, null, 2) : '',
  });
  const [file, setFile] = useState<File | null>(null);
  const [isAsking, setAsking] = useState(false);
  const refusal = useRefusal(operation.operationId);
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header');
  const missing = parameters.filter(({ name, in: place }) => place === 'path' && !draft.values[name]?.trim());
  const send = useAction({
    run: () => sendDraft(appId, operation, { draft, file }),
    showsError: true,
    after: () => setAsking(false),
  });
  function submit() {
    if (operation.method === 'DELETE') setAsking(true);
    else send.mutate();
  }
  return (
    <Block
      title={t('Try it')}
      about={refusal ?? t('Sent to this app with your session, and recorded in the audit if it changes something.')}
    >
      <Form onSubmit={submit}>
        <Stack>
          {parameters.length > 0 && (
            <Fields
              parameters={parameters}
              values={draft.values}
              onChange={(name, value) => setDraft({ ...draft, values: { ...draft.values, [name]: value } })}
            />
          )}
          {isJson && (
            <JsonEditor label={t('Body')} value={draft.body} onChange={(text) => setDraft({ ...draft, body: text })} />
          )}
          {body && !isJson && (
            <FileInput label={t('Body')} placeholder={t('Choose a file')} value={file} onChange={setFile} clearable />
          )}
          {!refusal && <Send isDeletion={operation.method === 'DELETE'} isBusy={send.isPending} missing={missing} />}
          <FailureNote message={send.error?.message} />
          {send.data && <AnswerView answer={send.data} />}
          <CopyField
            label={t('As an app sends it')}
            text={draftCurl(operation, draft, { origin: window.location.origin, appId })}
            isBlock
          />
        </Stack>
      </Form>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('Send this request?')}
        confirm={t('Delete')}
        isBusy={send.isPending}
        failure={send.error?.message}
        onConfirm={() => send.mutate()}
      >
        {rich('{code} deletes data of this app permanently.', {
          code: <span className="mono">DELETE {requestPath(operation, draft)}</span>,
        })}
      </ConfirmDialog>
    </Block>
  );
}

interface SendProps {
  readonly isDeletion: boolean;
  readonly isBusy: boolean;
  /** Parts of the path that are still empty. */
  readonly missing: readonly Parameter[];
}

function Send({ isDeletion, isBusy, missing }: SendProps) {
  return (
    <Group>
      <Button
        variant="filled"
        type="submit"
        loading={isBusy}
        disabled={missing.length > 0}
        {...(isDeletion ? { color: 'red' } : {})}
      >
        {t('Send')}
      </Button>
      {missing.length > 0 && (
        <Text c="dimmed">{t('Fill in {list} first.', { list: missing.map(({ name }) => name).join(', ') })}</Text>
      )}
    </Group>
  );
}

/** Why the signed-in administrator cannot send it, as a sentence. */
function useRefusal(operationId: string): string | undefined {
  const may = useMay();
  const needs = (dataNeeds as Readonly<Record<string, (typeof dataNeeds)[keyof typeof dataNeeds] | undefined>>)[
    operationId
  ];
  if (needs === undefined) return t('Only apps and their users can use this operation; the console cannot send it.');
  return may(needs) ? undefined : t('Your role cannot send this; an app can.');
}

interface FieldsProps {
  readonly parameters: readonly Parameter[];
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (name: string, value: string) => void;
}

function Fields({ parameters, values, onChange }: FieldsProps) {
  return (
    <div className={classes.fields}>
      {parameters.map(({ name, in: place }) => (
        <TextInput
          key={name}
          label={name}
          required={place === 'path'}
          placeholder={name === 'where' ? '{"name": "Main hall"}' : ''}
          autoComplete="off"
          spellCheck={false}
          value={values[name] ?? ''}
          onChange={({ currentTarget: { value } }) => onChange(name, value)}
        />
      ))}
    </div>
  );
}

interface Answer {
  readonly status: number;
  readonly milliseconds: number;
  readonly text: string;
}

async function sendDraft(
  appId: string,
  operation: ApiOperation,
  { draft, file }: { readonly draft: RequestDraft; readonly file: File | null },
): Promise<Answer> {
  const body = requestBodyOf(operation);
  const isJson = body?.type === 'application/json';
  const type = isJson ? 'application/json' : (file?.type ?? '');
  const startedAt = performance.now();
  const answer = await fetch(`/console/api/apps/${encodeURIComponent(appId)}/v2${requestPath(operation, draft)}`, {
    method: operation.method,
    headers: { ...pageHeaders(), ...(type ? { 'Content-Type': type } : {}) },
    ...(body ? { body: isJson ? draft.body : (file ?? '') } : {}),
  }).catch(() => {
    throw new Error(t('The service does not answer. Is it running, and are you online?'));
  });
  const text = await answer.text();
  // The session has ended, so this is not the answer to the request that was tried.
  const failure = answer.ok ? undefined : errorOfAnswer(answer.status, parsed(text));
  if (isSignedOut(failure)) throw failure;
  return { status: answer.status, milliseconds: performance.now() - startedAt, text: pretty(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pretty(text: string): string {
  const answer = parsed(text);
  return answer === undefined ? text : JSON.stringify(answer, null, 2);
}

const maxShown = 100_000;

function AnswerView({ answer }: { readonly answer: Answer }) {
  const { status, milliseconds, text } = answer;
  return (
    <section aria-label={t('The answer')}>
      <Group gap="0.8rem" role="status">
        <Badge color={status < 300 ? 'teal' : 'red'} size="lg" radius="sm">
          {status}
        </Badge>
        <Text c="dimmed">{t('in {milliseconds} ms', { milliseconds: milliseconds.toFixed(0) })}</Text>
      </Group>
      {text.length > maxShown && <Alert color="gray">{t('The answer is long. Only the beginning is shown.')}</Alert>}
      <CodeBlock isLimited>{text.slice(0, maxShown)}</CodeBlock>
    </section>
  );
}

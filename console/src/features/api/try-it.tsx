import { Alert, Badge, Button, FileInput, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { CodeBlock } from '../../components/code/code-block.tsx';
import { CopyField } from '../../components/code/copy-field.tsx';
import { JsonEditor } from '../../components/code/json-editor.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { isAllowed, useSession } from '../../lib/data/access.ts';
import { dataNeeds } from '../../lib/wire.ts';
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
  function submit(event: FormEvent) {
    event.preventDefault();
    if (operation.method === 'DELETE') setAsking(true);
    else send.mutate();
  }
  return (
    <Block
      title="Try it"
      about={refusal ?? 'Sent to this app with your session, and recorded in the audit if it changes something.'}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          {parameters.length > 0 && (
            <Fields
              parameters={parameters}
              values={draft.values}
              onChange={(name, value) => setDraft({ ...draft, values: { ...draft.values, [name]: value } })}
            />
          )}
          {isJson && (
            <JsonEditor label="Body" value={draft.body} onChange={(text) => setDraft({ ...draft, body: text })} />
          )}
          {body && !isJson && (
            <FileInput label="Body" placeholder="Choose a file" value={file} onChange={setFile} clearable />
          )}
          {!refusal && (
            <Group>
              <Button
                type="submit"
                loading={send.isPending}
                disabled={missing.length > 0}
                {...(operation.method === 'DELETE' ? { color: 'red' } : {})}
              >
                Send
              </Button>
              {missing.length > 0 && (
                <Text size="sm" c="dimmed">
                  Fill in {missing.map(({ name }) => name).join(', ')} first.
                </Text>
              )}
            </Group>
          )}
          <FailureNote message={send.error?.message} />
          {send.data && <AnswerView answer={send.data} />}
          <CopyField
            label="As an app sends it"
            text={draftCurl(operation, draft, { origin: window.location.origin, appId })}
            isBlock
          />
        </Stack>
      </form>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Send this request?"
        confirm="Delete"
        isBusy={send.isPending}
        failure={send.error?.message}
        onConfirm={() => send.mutate()}
      >
        <span className="mono">DELETE {requestPath(operation, draft)}</span> deletes data of this app permanently.
      </ConfirmDialog>
    </Block>
  );
}

/** Why the signed-in administrator cannot send it, as a sentence. */
function useRefusal(operationId: string): string | undefined {
  const { role } = useSession();
  const needs = (dataNeeds as Readonly<Record<string, (typeof dataNeeds)[keyof typeof dataNeeds] | undefined>>)[
    operationId
  ];
  if (needs === undefined) return 'Only apps and their users can use this operation; the console cannot send it.';
  return isAllowed(role, needs) ? undefined : 'Your role cannot send this; an app can.';
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
    ...(type ? { headers: { 'Content-Type': type } } : {}),
    ...(body ? { body: isJson ? draft.body : (file ?? '') } : {}),
  }).catch(() => {
    throw new Error('The service does not answer. Is it running, and are you online?');
  });
  const text = await answer.text();
  return { status: answer.status, milliseconds: performance.now() - startedAt, text: pretty(text) };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const mostShown = 100_000;

function AnswerView({ answer }: { readonly answer: Answer }) {
  const { status, milliseconds, text } = answer;
  return (
    <section aria-label="The answer">
      <div className={classes.answer} role="status">
        <Badge color={status < 300 ? 'teal' : 'red'} variant="light" size="lg" radius="sm">
          {status}
        </Badge>
        <Text size="sm" c="dimmed">
          in {milliseconds.toFixed(0)} ms
        </Text>
      </div>
      {text.length > mostShown && <Alert color="gray">The answer is long. Only the beginning is shown.</Alert>}
      <CodeBlock isLimited>{text.slice(0, mostShown)}</CodeBlock>
    </section>
  );
}

import { Badge, Group, Text } from '@mantine/core';
import { JsonBlock } from '../../components/code/code-block.tsx';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { t } from '../../lib/words/words.ts';
import classes from './api.module.css';
import { type ApiOperation, needsOf, requestBodyOf, ruleOf, type Schema } from './openapi.ts';
import { TryIt } from './try-it.tsx';

const colours: Readonly<Record<string, string>> = {
  GET: 'blue',
  POST: 'teal',
  PUT: 'yellow',
  PATCH: 'yellow',
  DELETE: 'red',
};

const needs = {
  app: t('Needs the app headers.'),
  maybe: t('Needs the app headers; an access token is optional.'),
  user: t("Needs the app headers and a user's access token."),
};

/** One operation: parameters, responses, and the form that sends it. */
export function OperationView({ appId, operation }: { readonly appId: string; readonly operation: ApiOperation }) {
  const { method, path, summary, description, parameters = [], responses } = operation;
  const body = requestBodyOf(operation);
  return (
    <div>
      <Block
        title={summary}
        about={
          <>
            {description && (
              <span>
                <Prose text={description} />{' '}
              </span>
            )}
            {needs[needsOf(operation)]}
          </>
        }
      >
        <Group gap="0.6rem" mt="0.4rem" mb="0.8rem">
          <Badge color={colours[method] ?? 'gray'} size="lg" radius="sm">
            {method}
          </Badge>
          <code className="mono">{path}</code>
          <CopyButton text={path} label={t('the path')} />
        </Group>
        {parameters.length > 0 && (
          <Table
            label={t('Parameters')}
            rows={parameters.map((parameter) => ({
              name: parameter.name,
              need: parameter.in,
              about: parameter.description ?? '',
            }))}
          />
        )}
        {body?.schema?.properties && <Table label={t('Body')} rows={rowsOf(body.schema)} />}
      </Block>
      <TryIt appId={appId} operation={operation} />
      <Block title={t('Answers')}>
        {Object.entries(responses).map(([status, { description: about, content }]) => (
          <div key={status}>
            <Text mt="xs">
              <b>{status}</b> <Prose text={about} />
            </Text>
            {status.startsWith('2') && content?.['application/json']?.example !== undefined && (
              <JsonBlock value={content['application/json'].example} isLimited />
            )}
          </div>
        ))}
      </Block>
    </div>
  );
}

interface Row {
  readonly name: string;
  readonly need: string;
  readonly about: string;
}

function rowsOf(schema: Schema): Row[] {
  return Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    need: schema.required?.includes(name) ? t('required') : t('optional'),
    about: [ruleOf(member), member.description ?? ''].filter((text) => text !== '').join('. '),
  }));
}

function Table({ label, rows }: { readonly label: string; readonly rows: readonly Row[] }) {
  return (
    <table className={classes.members}>
      <thead>
        <tr>
          <th scope="col">{label}</th>
          <th scope="col">{label === 'Body' ? t('Needed') : t('Where')}</th>
          <th scope="col">{t('What')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, need, about }) => (
          <tr key={name}>
            <td className="mono">{name}</td>
            <td>{need}</td>
            <td>
              <Prose text={about} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Text of the OpenAPI document; text in backticks is code. */
function Prose({ text }: { readonly text: string }) {
  return text.split('`').map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
      <code key={place} className="mono">
        {part}
      </code>
    ),
  );
}

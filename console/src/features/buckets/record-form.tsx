import { Button, Group, Stack, Text } from '@mantine/core';
import type { JsonObject } from '@pharos/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { JsonEditor } from '../../components/code/json-editor.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { readJsonObject } from '../../lib/text/json-text.ts';
import { recordKeys } from './queries.ts';
import type { Columns } from './record-cells.ts';

export interface BucketPlace {
  readonly appId: string;
  readonly bucketName: string;
}

interface FormProps {
  readonly place: BucketPlace;
  readonly columns: Columns;
  readonly start: string;
  readonly button: string;
  /** Without it, the record can only be read. */
  readonly save?: (document: JsonObject) => Promise<unknown>;
  readonly done: string;
  /** Restores the previous content. */
  readonly undo?: () => Promise<unknown>;
  readonly after?: () => unknown;
  readonly onCancel: () => void;
}

/** Edits a record as JSON. Syntax errors are shown with their position, other errors as the service words them. */
export function BucketRecordForm({ place, columns, start, button, save, done, undo, after, onCancel }: FormProps) {
  const [text, setText] = useState(start);
  const [problem, setProblem] = useState<string>();
  const queries = useQueryClient();
  const run = useAction({
    run: (document: JsonObject) => (save ? save(document) : Promise.resolve()),
    done,
    undo,
    showsError: true,
    after: async () => {
      await Promise.all(recordKeys(place.appId).map((queryKey) => queries.invalidateQueries({ queryKey })));
      await after?.();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    const read = readJsonObject(text);
    setProblem('problem' in read ? read.problem.message : undefined);
    if ('value' in read) run.mutate(read.value);
  }
  const declared = Object.entries(columns).map(([name, type]) => `${name}: ${type}`);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <JsonEditor
          label="The record as JSON"
          description={
            declared.length > 0
              ? `Declared columns: ${declared.join(', ')}. A declared member must have this type or be left out; others are free.`
              : 'Any object: the bucket declares no columns.'
          }
          value={text}
          onChange={(next) => {
            setText(next);
            setProblem(undefined);
          }}
          error={problem}
          isReadOnly={!save}
        />
        <FailureNote message={run.error?.message} />
        {save ? (
          <Group>
            <Button type="submit" loading={run.isPending}>
              {button}
            </Button>
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          </Group>
        ) : (
          <Text c="dimmed">Your role can read records, but not change them.</Text>
        )}
      </Stack>
    </form>
  );
}

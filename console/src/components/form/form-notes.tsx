import { Alert, Button, Group } from '@mantine/core';
import { Icon } from '../page/icon.tsx';
import type { Fields } from './use-fields.ts';

interface Props {
  readonly form: Pick<Fields<object>, 'draftedAt' | 'isDirty' | 'reset' | 'base'>;
  /** Somebody else has saved the record since the form was opened. */
  readonly isOutdated?: boolean | undefined;
}

const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Above a form: that it shows a draft, or that somebody else has changed the record. */
export function FormNotes({ form, isOutdated = false }: Props) {
  return (
    <>
      {form.draftedAt !== undefined && form.isDirty && (
        <Alert color="blue" variant="light" mb="md" icon={<Icon name="edit" />} role="status">
          <Group justify="space-between" gap="xs">
            <span>This is your draft of {when.format(form.draftedAt)}. It is not saved yet.</span>
            <Button size="xs" variant="default" onClick={() => form.reset(form.base)}>
              Throw the draft away
            </Button>
          </Group>
        </Alert>
      )}
      {isOutdated && (
        <Alert color="yellow" variant="light" mb="md" icon={<Icon name="warning" />} role="status">
          Somebody else has saved this meanwhile. What you have typed is still here; when you save, you choose what to
          keep.
        </Alert>
      )}
    </>
  );
}

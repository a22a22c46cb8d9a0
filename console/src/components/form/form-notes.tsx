import { Alert, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { appQuery } from '../../lib/data/queries.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { timesIn } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import type { Fields } from './use-fields.ts';

interface Props {
  readonly form: Pick<Fields<object>, 'draftedAt' | 'isDirty' | 'reset' | 'base'>;
  /** Somebody else has saved the record since the form was opened. */
  readonly isOutdated?: boolean | undefined;
}

/** Above a form: that it shows a draft, or that somebody else has changed the record. */
export function FormNotes({ form, isOutdated = false }: Props) {
  return (
    <>
      {form.draftedAt !== undefined && form.isDirty && (
        <Alert color="blue" mb="md" icon={<Icon name="edit" />} role="status">
          <Group justify="space-between" gap="xs">
            <DraftOf at={form.draftedAt} />
            <Button size="xs" onClick={() => form.reset(form.base)}>
              {t('Throw the draft away')}
            </Button>
          </Group>
        </Alert>
      )}
      {isOutdated && (
        <Alert color="yellow" mb="md" icon={<Icon name="warning" />} role="status">
          {t(
            'Somebody else has saved this meanwhile. What you have typed is still here; when you save, you choose what to keep.',
          )}
        </Alert>
      )}
    </>
  );
}

/** In the zone of the page: that of the app, if it belongs to one. */
function DraftOf({ at }: { readonly at: number }) {
  const { appId } = useParams({ strict: false });
  const { data: app } = useQuery({ ...appQuery(appId ?? ''), enabled: appId !== undefined });
  const above = useServiceTimes();
  // A time in another zone than the rest of the page would be read as a wrong one.
  if (appId !== undefined && !app) return <span>{t('This is your draft. It is not saved yet.')}</span>;
  const times = app ? timesIn(app.policy.timeZone) : above;
  const format = times.minute(new Date(at).toISOString());
  return <span>{t('This is your draft of {format}. It is not saved yet.', { format })}</span>;
}

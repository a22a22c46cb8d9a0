import { entityTag, operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FailureNote } from '../../components/page/blocks.tsx';
import { BackLink, CopyNote, PageHeader } from '../../components/page/page-header.tsx';
import { dataOf } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { audienceOf } from './audience-fields.ts';
import { Composer } from './composer.tsx';
import { NoPushService } from './no-service.tsx';
import { type ComposeFields, emptyPush, fieldsOfPush, timesOfPush } from './push-fields.ts';
import { waitsForApproval } from './push-states.ts';
import { pushQuery } from './queries.ts';

const route = getRouteApi('/signed-in/apps/$appId/push/new');
const editRoute = getRouteApi('/signed-in/apps/$appId/push/$pushId/edit');

export function ComposePage() {
  const { appId } = route.useParams();
  const { from } = route.useSearch();
  const { zone } = useTimes(appId);
  const { data: model, error } = useQuery({ ...pushQuery(appId, from ?? ''), enabled: from !== undefined });
  return (
    <>
      <PageHeader
        title={t('Write a push message')}
        back={<BackLink label={t('All push messages')} to="/apps/$appId/push" params={{ appId }} />}
      />
      <NoPushService appId={appId} />
      <FailureNote message={error?.message} />
      {model && (
        <CopyNote>{t('When it goes out is not copied: without a time of its own, the copy is sent at once.')}</CopyNote>
      )}
      {(from === undefined || model) && (
        <Composer
          // A zone that has just been loaded reads the times of the model.
          key={`${from} ${zone}`}
          appId={appId}
          draft={`push ${from ?? appId}`}
          start={model ? { ...fieldsOfPush(model), audience: audienceOf(model.where as never, zone) } : nothing}
          send={(body, idempotencyKey) => dataOf(appId).call(operations.sendPush, { body, idempotencyKey })}
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
      <PageHeader
        title={t('Change a scheduled message')}
        back={<BackLink label={t('The message')} to="/apps/$appId/push/$pushId" params={{ appId, pushId }} />}
      />
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
            dataOf(appId).call(operations.updatePush, { params: { objectId: pushId }, body, ifMatch: entityTag(push) })
          }
          isChange
        />
      )}
    </>
  );
}

const tooLate = t('It cannot be changed any more: it has gone out, is going out, or was cancelled.');

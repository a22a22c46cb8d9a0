import { entityTag, type Notification, PharosError, type Storyline, type StorylineDetail } from '@pharos/sdk';
import { type QueryKey, queryOptions } from '@tanstack/react-query';
import { newKey } from '../../lib/actions/drafts.ts';
import type { Operation } from '../../lib/data/access.ts';
import { listAll } from '../../lib/data/all-records.ts';
import { call, dataKey, dataOf } from '../../lib/data/api.ts';
import { withSession } from '../../lib/data/signing-in.ts';
import {
  fieldOf,
  fitsNotification,
  type Message,
  type MessageFields,
  messageOf,
  notificationBody,
  scenarioBody,
} from './message.ts';

/** How messages are read and written: as notifications and storylines. */

type LooseScenario = StorylineDetail & { readonly storylineId: string };

export const messageKeys = (appId: string): readonly QueryKey[] =>
  (
    [
      'listNotifications',
      'getNotification',
      'listStorylines',
      'getStoryline',
      'listStorylineDetails',
      'getStorylineDetail',
      'listAllStorylineDetails',
    ] as const
  ).map((operation) => dataKey(appId, operation));

/** All messages of an app. Storylines are not for those who are limited to venues. */
export const messagesQuery = (appId: string, mayCall: (operation: Operation) => boolean) =>
  queryOptions({
    queryKey: dataKey(appId, 'listNotifications', 'messages'),
    queryFn: async (): Promise<readonly Message[]> => {
      const { notifications, storylines } = dataOf(appId);
      const hasStorylines = mayCall('listStorylines');
      const [singles, headers, scenarios] = await Promise.all([
        listAll<Notification>(notifications.list),
        hasStorylines ? listAll<Storyline>(storylines.list) : [],
        hasStorylines ? listAll<LooseScenario>(storylines.listAllDetails) : [],
      ]);
      const byStoryline = Map.groupBy(scenarios, ({ storylineId }) => storylineId);
      return [
        ...singles.map((record) => messageOf({ kind: 'notification', record })),
        ...headers.map((record) => storylineMessage(record, byStoryline.get(record.objectId) ?? [])),
      ];
    },
  });

const storylineMessage = (record: Storyline, scenarios: readonly StorylineDetail[], scenario = scenarios[0]) =>
  messageOf({ kind: 'storyline', record, scenario, scenarios });

/**
 * A message by the id of its notification, its storyline or its scenario; of a storyline with several, the one with the id `part`.
 *
 * @throws PharosError
 */
export async function readMessage(appId: string, id: string, hasStorylines: boolean, part = id): Promise<Message> {
  const { notifications, storylines } = dataOf(appId);
  const where = { objectId: id };
  const [single, header, detail] = await Promise.all([
    notifications.list({ where }),
    hasStorylines ? storylines.list({ where }) : undefined,
    hasStorylines ? storylines.listAllDetails({ where }) : undefined,
  ]);
  const storylineId = header?.results[0]?.objectId ?? detail?.results[0]?.storylineId;
  // What is read by itself has the tag by which a change of somebody else is noticed.
  if (single.results.length > 0 || storylineId === undefined)
    return messageOf({ kind: 'notification', record: await notifications.get(id) });
  const [record, { results }] = await Promise.all([
    storylines.get(storylineId),
    storylines.listDetails(storylineId, { order: 'createdAt' }),
  ]);
  const chosen = results.find(({ objectId }) => objectId === part) ?? results[0];
  const scenario = chosen && (await storylines.getDetail(storylineId, chosen.objectId));
  return messageOf({ kind: 'storyline', record, scenarios: results, scenario });
}

export const messageQuery = (appId: string, id: string, hasStorylines: boolean, part?: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getNotification', id, part ?? ''),
    queryFn: () => readMessage(appId, id, hasStorylines, part),
  });

/** Errors name the fields as the form has them. */
async function inWordsOfForm<T>(run: Promise<T>): Promise<T> {
  try {
    return await run;
  } catch (error) {
    if (!(error instanceof PharosError)) throw error;
    const { name, code, status, requestId, message } = error;
    const details = error.details.map((one) => ({ ...one, field: fieldOf(one.field) }));
    throw new PharosError(message, { name, code, status, requestId, details, cause: error });
  }
}

interface Again {
  readonly idempotencyKey: string;
}

export interface SavedMessage {
  readonly objectId: string;
}

/** Keeps a new message as a draft, which nobody is shown. @throws PharosError */
export async function createMessage(appId: string, fields: MessageFields, again: Again): Promise<SavedMessage> {
  if (fitsNotification(fields)) {
    const body = { ...notificationBody(fields), isEnabled: false };
    return inWordsOfForm(dataOf(appId).notifications.create(body, again));
  }
  return inWordsOfForm(createStoryline(appId, fields, again));
}

async function createStoryline(
  appId: string,
  fields: MessageFields,
  again: Again,
  isLastTry = false,
): Promise<SavedMessage> {
  const { storylines } = dataOf(appId);
  const { description: title } = notificationBody(fields);
  const header = await storylines.create({ title, isEnabled: false }, again);
  try {
    await withSession(() => storylines.createDetail(header.objectId, scenarioBody(fields), again));
  } catch (error) {
    // Whether it was done is not known: the same again finds it.
    if (error instanceof PharosError && error.mayBeDone) throw error;
    // The answer to an earlier try, whose storyline is gone by now.
    const isGone = await storylines.delete(header.objectId).then(
      () => false,
      () => true,
    );
    if (!isGone || isLastTry) throw error;
    return createStoryline(appId, fields, { idempotencyKey: newKey() }, true);
  }
  return header;
}

interface Change {
  readonly before: Message;
  /** The values of the form with the change. */
  readonly fields: MessageFields;
  readonly ifMatch: string | undefined;
}

/** Writes a message where it is stored, or as a storyline if that says what a notification cannot. @throws PharosError */
export const changeMessage = (appId: string, change: Change): Promise<object> => inWordsOfForm(write(appId, change));

async function write(appId: string, { before: { stored, isEnabled, fields: was }, fields, ifMatch }: Change) {
  const { notifications, storylines } = dataOf(appId);
  if (stored.kind === 'notification') {
    const { record } = stored;
    const { objectId } = record;
    const condition = { ifMatch: ifMatch ?? entityTag(record) };
    if (fitsNotification(fields)) {
      const body = changed(notificationBody(was, record), notificationBody(fields, record));
      return notifications.update(objectId, body, condition);
    }
    const { description: title } = notificationBody(fields);
    const body = { ...scenarioBody(fields), title, isEnabled };
    return (await call('makeStoryline', { params: { appId, objectId }, body, ...condition })).result;
  }
  const { record, scenario } = stored;
  const { description: title } = notificationBody(fields);
  if (title !== record.title) await storylines.update(record.objectId, { title });
  if (!scenario) return storylines.createDetail(record.objectId, scenarioBody(fields));
  const body = changed(scenarioBody(was, scenario), scenarioBody(fields, scenario));
  if (Object.keys(body).length === 0) return {};
  return storylines.updateDetail(record.objectId, scenario.objectId, body, { ifMatch: ifMatch ?? entityTag(scenario) });
}

/** The members that differ. */
function changed<T extends object>(before: T, after: T): Partial<T> {
  const now = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof T]),
  );
  return Object.fromEntries(now) as Partial<T>;
}

export async function switchMessage(appId: string, { stored }: Message, isEnabled: boolean): Promise<object> {
  const { notifications, storylines } = dataOf(appId);
  const { objectId } = stored.record;
  return stored.kind === 'notification'
    ? notifications.update(objectId, { isEnabled })
    : storylines.update(objectId, { isEnabled });
}

/** What deletes a message: of one in a series, itself alone. */
export function deletionOf({ stored }: Message) {
  if (stored.kind === 'notification') return { kind: 'notifications', id: stored.record.objectId } as const;
  if (stored.scenarios.length > 1 && stored.scenario)
    return { kind: 'scenarios', id: stored.scenario.objectId } as const;
  return { kind: 'storylines', id: stored.record.objectId } as const;
}

export async function deleteMessage(appId: string, message: Message): Promise<unknown> {
  const { notifications, storylines } = dataOf(appId);
  const { kind, id } = deletionOf(message);
  if (kind === 'notifications') return notifications.delete(id);
  if (kind === 'storylines') return storylines.delete(id);
  return storylines.deleteDetail(message.objectId, id);
}

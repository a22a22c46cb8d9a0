import {
  isObject,
  type Order,
  Problems,
  parseOrder,
  parseWhere,
  parseWhereValue,
  refuseQuery,
  type Where,
} from '@pharos/query';
import { firstIdAt } from '../../base/id.ts';
import { isoTime } from '../../http/answers.ts';
import type { Member, Members, OfPhone } from './members.ts';
import { type NamingTable, type PhoneView, phoneMembers } from './phone-view.ts';

/**
 * Queries by phone, from somebody who sees others under pseudonyms. A condition means what it would mean for the values shown, so
 * that no query reveals more than the answer: it is translated to conditions on the id and on the day.
 */

type Json = Readonly<Record<string, unknown>>;

interface Asking {
  readonly members: Members;
  readonly hidden: ReadonlyMap<string, Member & { readonly phone: OfPhone }>;
  readonly view: PhoneView;
  readonly problems: Problems;
}

const nobody: Json = { objectId: { $in: [] } };

/** @throws Failure InvalidQuery for a query that would distinguish phones by more than their pseudonyms */
export function parsePhoneWhere(
  text: string | undefined,
  { members, lookup }: NamingTable,
  view: PhoneView,
): Where | undefined {
  const asked = parseWhere(text, lookup);
  if (asked === undefined || text === undefined) return asked;
  const asking: Asking = { members, hidden: new Map(phoneMembers(members)), view, problems: new Problems() };
  const translated = translate(JSON.parse(text) as Json, asking);
  asking.problems.throwIfAny();
  return parseWhereValue(translated, lookup);
}

/**
 * The order of a list: not by what is hidden, not even to break ties.
 *
 * @throws Failure InvalidQuery
 */
export function parsePhoneOrder(text: string | undefined, { members, lookup }: NamingTable, fallback: string): Order {
  const hidden = new Map(phoneMembers(members));
  const isById = hidden.has('objectId');
  const named = (text ?? '').split(',').map((part) => part.trim().replace(/^-/, ''));
  const wrong = named.find((name) => hidden.has(name.split('.')[0] ?? ''));
  if (wrong !== undefined)
    throw refuseQuery('order', `cannot name ${wrong} in this app, whose pseudonyms of phones change every day`);
  const order = parseOrder(text, lookup, isById ? '-updatedAt' : fallback);
  if (!isById) return order;
  const { descending } = order.at(-1) ?? { descending: false };
  const by = ['occurredAt', 'distance'].flatMap((name) => {
    const field = lookup(name);
    return field ? [{ name, field, descending }] : [];
  });
  return [...order.slice(0, -1), ...by];
}

function translate(where: unknown, asking: Asking): Json {
  if (!isObject(where)) return {};
  const rest: [string, unknown][] = [];
  const more: Json[] = [];
  for (const [key, value] of Object.entries(where)) {
    if (key.startsWith('$')) {
      const parts = (value as readonly unknown[]).map((part) => translate(part, asking));
      if (key === '$and') more.push(...parts);
      else rest.push([key, parts]);
    } else if (asking.hidden.has(key.split('.')[0] ?? '')) more.push(aboutPhone(key, value, asking));
    else rest.push([key, value]);
  }
  return { ...Object.fromEntries(rest), ...(more.length > 0 ? { $and: more } : {}) };
}

function aboutPhone(name: string, value: unknown, asking: Asking): Json {
  const spec = asking.hidden.get(name);
  const ids = spec && typeof spec.phone.as !== 'function' ? idsIn(value, spec) : undefined;
  if (spec && ids) {
    const ways = ids.flatMap((id) => waysTo(name, id, spec, asking));
    return ways.length === 0 ? nobody : ways.length === 1 ? (ways[0] ?? nobody) : { $or: ways };
  }
  asking.problems.add(
    name,
    spec && typeof spec.phone.as !== 'function'
      ? 'takes only $eq and $in in this app, whose pseudonyms of phones change every day'
      : 'cannot be asked for in this app, whose pseudonyms of phones change every day',
  );
  return nobody;
}

/** The ids of `$eq` and `$in`; undefined for every other operator. */
function idsIn(value: unknown, { kind, className }: Member): string[] | undefined {
  const isOperators = isObject(value) && Object.keys(value).some((key) => key.startsWith('$'));
  const keys = isOperators ? Object.keys(value) : [];
  if (keys.length > 1) return undefined;
  const [key = '$eq'] = keys;
  const operand = isOperators ? (value as Json)[key] : value;
  if (key !== '$eq' && key !== '$in') return undefined;
  const values = key === '$in' ? (operand as readonly unknown[]) : [operand];
  const ids: string[] = [];
  for (const one of values) {
    const id = kind === 'pointer' && isObject(one) && one['className'] === className ? one['objectId'] : one;
    if (one === null) return undefined;
    if (typeof id === 'string' && (kind === 'text' || one !== id)) ids.push(id);
  }
  return ids;
}

/** The conditions under which records are shown with this id. */
function waysTo(name: string, id: string, spec: Member & { readonly phone: OfPhone }, asking: Asking): Json[] {
  const { pseudonyms, own } = asking.view;
  const { periods, days } = pseudonyms;
  const day = dayMember(spec.phone, asking.members);
  const asIt = (installationId: string) => ({ [name]: shownAs(spec, installationId) });
  const ways: Json[] = [{ ...asIt(id), ...without(periods.map(({ begun, ended }) => within(day, begun, ended))) }];
  const since = own.get(id);
  if (since !== undefined)
    ways.push({ ...asIt(id), $and: [within(day, since, Infinity), ...recordedSince(asking.members, since)] });
  if (spec.phone.as !== 'pseudonym') return ways;
  for (const { begins, ends, names } of days) {
    const installationId = names.installationOf(id);
    if (installationId === undefined || names.of(installationId) !== id) continue;
    const end = Math.min(ends, own.get(installationId) ?? Infinity);
    for (const { begun, ended } of periods) {
      const [from, until] = [Math.max(begins, begun), Math.min(end, ended)];
      if (from < until) ways.push({ ...asIt(installationId), $and: [within(day, from, until)] });
    }
  }
  return ways;
}

const without = (parts: readonly Json[]): Json => ({ $nor: parts });

const shownAs = ({ kind, className }: Member, objectId: string): unknown =>
  kind === 'pointer' ? { __type: 'Pointer', className, objectId } : objectId;

interface DayMember {
  readonly name: string;
  readonly isTime: boolean;
}

function dayMember({ day }: OfPhone, members: Members): DayMember {
  const found = Object.entries(members).find(([, { column }]) => column === day);
  if (!found) throw new Error(`No member shows the column ${day}, which says of which day a record is.`);
  return { name: found[0], isTime: found[1].kind === 'time' };
}

function within({ name, isTime }: DayMember, from: number, until: number): Json {
  const bound = (at: number) => (isTime ? { __type: 'Date', iso: isoTime(at) } : firstIdAt(at));
  return { [name]: { $gte: bound(from), ...(until === Infinity ? {} : { $lt: bound(until) }) } };
}

function recordedSince(members: Members, since: number): Json[] {
  const isStamped = members['createdAt']?.kind === 'time' && since > 0;
  return isStamped ? [{ createdAt: { $gte: { __type: 'Date', iso: isoTime(since) } } }] : [];
}

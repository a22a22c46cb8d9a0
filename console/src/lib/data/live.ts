import { type LiveStream, openLiveStream, operations } from '@pharos/sdk';
import { useEffect, useState } from 'react';
import type { Listed } from './api.ts';
import { dataOf } from './api.ts';

/** Live events of an app. */

export type LiveEvent = Listed<'listEvents'>;

/** `paused` while the page is hidden; `broken` while reconnecting. */
export type LiveState = 'connecting' | 'live' | 'paused' | 'broken';

export interface LiveListener {
  /** Events of the last hour and new ones; an event may be passed twice. */
  readonly onEvents: (events: readonly LiveEvent[]) => void;
  readonly onState: (state: LiveState) => void;
}

const kinds = ['presence.enter', 'presence.exit', 'presence.zone'] as const;
/** Says that earlier events are missing or wrong. */
const correction = 'visit.updated';
const hourMs = 3_600_000;
const againMs = 5_000;
const maxOfTheHour = 60;

/** Listens until the returned function is called. The connection is closed while the page is hidden. */
export function listenToEvents(appId: string, { onEvents, onState }: LiveListener): () => void {
  let stream: LiveStream | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function close() {
    clearTimeout(timer);
    stream?.close();
    stream = undefined;
  }

  function fail() {
    close();
    onState('broken');
    timer = setTimeout(open, againMs);
  }

  /** Runs after the stream is ready, so that no event is missed in between. */
  async function readTheHour(of: LiveStream | undefined) {
    try {
      const from = new Date(Date.now() - hourMs).toISOString();
      const query = { where: { occurredAt: { $gte: from } }, limit: maxOfTheHour };
      const { results } = await dataOf(appId).call(operations.listEvents, { query });
      if (stream !== of) return;
      onEvents(results);
      onState('live');
    } catch {
      if (stream === of) fail();
    }
  }

  function open() {
    close();
    onState('connecting');
    stream = openLiveStream(dataOf(appId), {
      // A stream that asks for more makes the service send and keep more.
      kinds: [...kinds, correction],
      onState: (state) => {
        if (state === 'open') void readTheHour(stream);
        if (state === 'waiting') fail();
      },
      onLost: () => void readTheHour(stream),
      onRefused: fail,
      onEvent: ({ type, data }) => {
        if (type === correction) void readTheHour(stream);
        else onEvents([data as unknown as LiveEvent]);
      },
    });
  }

  function follow() {
    if (document.visibilityState === 'visible') return open();
    close();
    onState('paused');
  }

  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    close();
  };
}

export interface Live {
  readonly state: LiveState;
  /** Newest first. */
  readonly events: readonly LiveEvent[];
}

/** The latest events of an app, updated while the page is visible. */
export function useLive(appId: string): Live {
  const [state, setState] = useState<LiveState>('connecting');
  const [events, setEvents] = useState<readonly LiveEvent[]>([]);
  useEffect(() => {
    setEvents([]);
    return listenToEvents(appId, {
      onState: setState,
      onEvents: (news) => setEvents((known) => newestFirst([...news, ...known])),
    });
  }, [appId]);
  return { state, events };
}

/** An objectId begins with the time of the event. */
function newestFirst(events: readonly LiveEvent[]): readonly LiveEvent[] {
  const byId = new Map(events.map((event) => [event.objectId, event]));
  return [...byId.values()].sort((a, b) => (a.objectId < b.objectId ? 1 : -1)).slice(0, maxOfTheHour);
}

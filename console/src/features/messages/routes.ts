import { createRoute, redirect } from '@tanstack/react-router';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';
import { readMessageSearch } from './message-search.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/messages',
  validateSearch: readMessageSearch,
  component: forRoles('listNotifications', () => import('./messages-page.tsx'), 'MessagesPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/messages/new',
  /** `from`: the message to copy; `beacon`: where the new one is shown. */
  validateSearch: ({
    from,
    beacon,
  }: Record<string, unknown>): { readonly from?: string; readonly beacon?: string } => ({
    ...(typeof from === 'string' ? { from } : {}),
    ...(typeof beacon === 'string' ? { beacon } : {}),
  }),
  component: forRoles('createNotification', () => import('./message-pages.tsx'), 'NewMessagePage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/messages/$messageId',
  /** `part`: of a storyline with several scenarios, which. */
  validateSearch: ({ part }: Record<string, unknown>): { readonly part?: string } =>
    typeof part === 'string' ? { part } : {},
  component: forRoles('getNotification', () => import('./message-pages.tsx'), 'MessagePage'),
});

/** Bookmarks, mails and the log know messages by where they are stored. `of`: the parameter with the id, or what stands in its place. */
const former = <const Path extends string>({ path, of }: { readonly path: Path; readonly of?: string }) =>
  createRoute({
    getParentRoute: () => app,
    path,
    beforeLoad: ({ params }) => {
      const { appId = '', ...ids } = params as Readonly<Record<string, string>>;
      if (of === undefined) throw redirect({ to: '/apps/$appId/messages', params: { appId } });
      throw redirect({ to: '/apps/$appId/messages/$messageId', params: { appId, messageId: ids[of] ?? of } });
    },
  });

export const messageRoutes = [
  list,
  create,
  one,
  former({ path: '/notifications' }),
  former({ path: '/notifications/new', of: 'new' }),
  former({ path: '/notifications/$notificationId', of: 'notificationId' }),
  former({ path: '/storylines' }),
  former({ path: '/storylines/$storylineId', of: 'storylineId' }),
  former({ path: '/storylines/$storylineId/scenarios/$detailId', of: 'detailId' }),
] as const;

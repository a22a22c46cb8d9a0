import { createRoute, redirect } from '@tanstack/react-router';
import { appPage } from '../../frame/for-roles.tsx';
import { app, readTexts } from '../../frame/routes.ts';
import { readMessageSearch } from './message-search.ts';

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
  appPage('/messages', 'listNotifications', () => import('./messages-page.tsx'), 'MessagesPage', readMessageSearch),
  // `from`: the message to copy; `beacon`: where the new one is shown.
  appPage(
    '/messages/new',
    'createNotification',
    () => import('./message-pages.tsx'),
    'NewMessagePage',
    readTexts('from', 'beacon'),
  ),
  // `part`: of a storyline with several scenarios, which.
  appPage(
    '/messages/$messageId',
    'getNotification',
    () => import('./message-pages.tsx'),
    'MessagePage',
    readTexts('part'),
  ),
  former({ path: '/notifications' }),
  former({ path: '/notifications/new', of: 'new' }),
  former({ path: '/notifications/$notificationId', of: 'notificationId' }),
  former({ path: '/storylines' }),
  former({ path: '/storylines/$storylineId', of: 'storylineId' }),
  former({ path: '/storylines/$storylineId/scenarios/$detailId', of: 'detailId' }),
] as const;

import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, defaultParseSearch, redirect } from '@tanstack/react-router';
import { appSections, isInMenuOf } from '../components/sections/app-sections.ts';
import { activityRoutes } from '../features/activity/routes.ts';
import { analyticsRoutes } from '../features/analytics/routes.ts';
import { auditMembers } from '../features/audit/audit-search.ts';
import { beaconRoutes } from '../features/beacons/routes.ts';
import { bucketRoutes } from '../features/buckets/routes.ts';
import { deviceRoutes } from '../features/devices/routes.ts';
import { fileRoutes } from '../features/files/routes.ts';
import { gatewayRoutes } from '../features/gateways/routes.ts';
import { messageRoutes } from '../features/messages/routes.ts';
import { peopleRoutes } from '../features/people/routes.ts';
import { pushRoutes } from '../features/push/routes.ts';
import { signInRoutes } from '../features/sign-in/routes.ts';
import { venueRoutes } from '../features/venues/routes.ts';
import { webhookRoutes } from '../features/webhooks/routes.ts';
import { appPage, ownPage } from '../frame/for-roles.tsx';
import { lazyPage } from '../frame/lazy-page.ts';
import { MissingPage, PageFailure, PageLoading } from '../frame/page-states.tsx';
import { app, readTexts, root, signedIn } from '../frame/routes.ts';
import { standingOf } from '../lib/data/access.ts';
import { sessionQuery, setupQuery } from '../lib/data/queries.ts';

/** A page on which nobody has to be signed in. */
const openPage = <const TPath extends string>(path: TPath, ...[importer, name]: Parameters<typeof lazyPage>) =>
  createRoute({ getParentRoute: () => root, path, component: lazyPage(importer, name) });

/** `problem`: what came of a sign-in through a provider. */
const readSignIn = readTexts('next', 'problem');

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readSignIn,
  async beforeLoad({ context: { queries }, search }) {
    if (await queries.ensureQueryData(sessionQuery)) throw redirect(pageAfter(search.next));
    if ((await queries.fetchQuery(setupQuery)).needed) throw redirect({ to: '/setup' });
  },
  component: lazyPage(() => import('../features/session/sign-in-page.tsx'), 'SignInPage'),
});

const signedInAgain = createRoute({
  getParentRoute: () => root,
  path: '/signed-in-again',
  validateSearch: ({ window }: Record<string, unknown>): { window?: 'own' } => (window === 'own' ? { window } : {}),
  component: lazyPage(() => import('../features/session/signed-in-again-page.tsx'), 'SignedInAgainPage'),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/apps' });
  },
});

const apps = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps',
  component: lazyPage(() => import('../features/apps/apps-page.tsx'), 'AppsPage'),
});

const appHome = createRoute({
  getParentRoute: () => app,
  path: '/',
  async beforeLoad({ context: { queries }, params }) {
    const session = await queries.ensureQueryData(sessionQuery);
    const first = session && appSections.find(isInMenuOf(standingOf(session, params.appId)));
    throw redirect({ to: first?.to ?? '/apps/$appId/settings', params });
  },
});

const appRoutes = [
  appPage('/home', 'activity.read', () => import('../features/home/home-page.tsx'), 'HomePage'),
  appPage('/api', 'settings.read', () => import('../features/api/api-page.tsx'), 'ApiPage', readTexts('op', 'q')),
  appPage(
    '/phone',
    'phones.pair',
    () => import('../features/pretend/phone-page.tsx'),
    'PretendPhonePage',
    readTexts('beacon'),
  ),
  appPage('/trash', 'listStorylines', () => import('../features/trash/trash-page.tsx'), 'TrashPage', readTexts('kind')),
  appPage('/senders', 'senders.read', () => import('../features/senders/senders-page.tsx'), 'SendersPage'),
  appPage('/keys', 'keys.read', () => import('../features/apps/keys-section.tsx'), 'KeysSection'),
  appPage('/rules', 'settings.read', () => import('../features/rules/rules-page.tsx'), 'RulesPage'),
  appPage('/privacy', 'settings.read', () => import('../features/privacy/privacy-page.tsx'), 'PrivacyPage'),
  appPage(
    '/policy',
    'settings.read',
    () => import('../features/apps/policy-section.tsx'),
    'PolicySection',
    readTexts('find'),
  ),
  appPage('/settings', 'settings.read', () => import('../features/apps/settings-section.tsx'), 'SettingsSection'),
] as const;

const ownRoutes = [
  ownPage(
    '/administrators',
    'administrators.read',
    () => import('../features/administrators/administrators-page.tsx'),
    'AdministratorsPage',
  ),
  ownPage(
    '/administrators/single-sign-on',
    'sso.manage',
    () => import('../features/administrators/sso/sso-page.tsx'),
    'SsoPage',
  ),
  ownPage(
    '/administrators/single-sign-on/new',
    'sso.manage',
    () => import('../features/administrators/sso/sso-provider-pages.tsx'),
    'NewSsoProviderPage',
    readTexts('from'),
  ),
  ownPage(
    '/administrators/single-sign-on/$providerId',
    'sso.manage',
    () => import('../features/administrators/sso/sso-provider-pages.tsx'),
    'SsoProviderPage',
  ),
  createRoute({
    getParentRoute: () => signedIn,
    path: '/account',
    validateSearch: readTexts('problem'),
    component: lazyPage(() => import('../features/account/account-page.tsx'), 'AccountPage'),
  }),
  ownPage('/system', 'system.read', () => import('../features/system/system-page.tsx'), 'SystemPage'),
  ownPage(
    '/audit',
    'audit.read',
    () => import('../features/audit/audit-page.tsx'),
    'AuditPage',
    readTexts(...auditMembers),
  ),
] as const;

const tree = root.addChildren([
  openPage('/setup', () => import('../features/session/set-up-page.tsx'), 'SetUpPage'),
  signIn,
  signedInAgain,
  openPage('/forgotten', () => import('../features/session/forgotten-page.tsx'), 'ForgottenPage'),
  openPage('/link', () => import('../features/session/link-page.tsx'), 'LinkPage'),
  openPage('/phone', () => import('../features/pretend/own-phone-page.tsx'), 'OwnPhonePage'),
  signedIn.addChildren([
    home,
    apps,
    app.addChildren([
      appHome,
      ...appRoutes,
      ...beaconRoutes,
      ...venueRoutes,
      ...activityRoutes,
      ...analyticsRoutes,
      ...peopleRoutes,
      ...deviceRoutes,
      ...gatewayRoutes,
      ...bucketRoutes,
      ...fileRoutes,
      ...messageRoutes,
      ...pushRoutes,
      ...webhookRoutes,
      ...signInRoutes,
    ]),
    ...ownRoutes,
  ]),
]);

/** Only a path of the console, so that `next` cannot lead to another site after signing in. */
export function pageAfter(next: string | undefined): { readonly to: string; readonly search?: never } {
  if (!next?.startsWith('/') || next.startsWith('//') || next.includes('\\')) return { to: '/apps' };
  const [path = '/apps', query] = next.split(/\?(.*)/s);
  return { to: path, ...(query ? { search: defaultParseSearch(`?${query}`) as never } : {}) };
}

export function createPages(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: '/console',
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: PageFailure,
    defaultNotFoundComponent: MissingPage,
    defaultPendingComponent: PageLoading,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}

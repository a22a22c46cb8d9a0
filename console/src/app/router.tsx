import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, defaultParseSearch, redirect } from '@tanstack/react-router';
import { appSections, isInMenuOf } from '../components/sections/app-sections.ts';
import { activityRoutes } from '../features/activity/routes.ts';
import { analyticsRoutes } from '../features/analytics/routes.ts';
import { apiRoutes } from '../features/api/routes.ts';
import { readAuditSearch } from '../features/audit/audit-search.ts';
import { beaconRoutes } from '../features/beacons/routes.ts';
import { bucketRoutes } from '../features/buckets/routes.ts';
import { deviceRoutes } from '../features/devices/routes.ts';
import { fileRoutes } from '../features/files/routes.ts';
import { gatewayRoutes } from '../features/gateways/routes.ts';
import { homeRoutes } from '../features/home/routes.ts';
import { messageRoutes } from '../features/messages/routes.ts';
import { peopleRoutes } from '../features/people/routes.ts';
import { pretendRoutes } from '../features/pretend/routes.ts';
import { privacyRoutes } from '../features/privacy/routes.ts';
import { pushRoutes } from '../features/push/routes.ts';
import { ruleRoutes } from '../features/rules/routes.ts';
import { senderRoutes } from '../features/senders/routes.ts';
import { SignInPage } from '../features/session/sign-in-page.tsx';
import { signInRoutes } from '../features/sign-in/routes.ts';
import { trashRoutes } from '../features/trash/routes.ts';
import { venueRoutes } from '../features/venues/routes.ts';
import { webhookRoutes } from '../features/webhooks/routes.ts';
import { forRoles } from '../frame/for-roles.tsx';
import { lazyPage } from '../frame/lazy-page.ts';
import { PageFailure, PageLoading } from '../frame/page-states.tsx';
import { app, readFrom, root, signedIn } from '../frame/routes.ts';
import { standingOf } from '../lib/data/access.ts';
import { sessionQuery, setupQuery } from '../lib/data/queries.ts';

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyPage(() => import('../features/session/set-up-page.tsx'), 'SetUpPage'),
});

/** What came of a sign-in through a provider. */
const readProblem = (search: Record<string, unknown>): { problem?: string } =>
  typeof search['problem'] === 'string' ? { problem: search['problem'] } : {};

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string; problem?: string } => ({
    ...(typeof search['next'] === 'string' ? { next: search['next'] } : {}),
    ...readProblem(search),
  }),
  async beforeLoad({ context: { queries }, search }) {
    if (await queries.ensureQueryData(sessionQuery)) throw redirect(ownPage(search.next));
    if ((await queries.fetchQuery(setupQuery)).needed) throw redirect({ to: '/setup' });
  },
  component: SignInPage,
});

const signedInAgain = createRoute({
  getParentRoute: () => root,
  path: '/signed-in-again',
  validateSearch: ({ window }: Record<string, unknown>): { window?: 'own' } => (window === 'own' ? { window } : {}),
  component: lazyPage(() => import('../features/session/signed-in-again-page.tsx'), 'SignedInAgainPage'),
});

const forgotten = createRoute({
  getParentRoute: () => root,
  path: '/forgotten',
  component: lazyPage(() => import('../features/session/forgotten-page.tsx'), 'ForgottenPage'),
});

const link = createRoute({
  getParentRoute: () => root,
  path: '/link',
  component: lazyPage(() => import('../features/session/link-page.tsx'), 'LinkPage'),
});

const ownPhone = createRoute({
  getParentRoute: () => root,
  path: '/phone',
  component: lazyPage(() => import('../features/pretend/own-phone-page.tsx'), 'OwnPhonePage'),
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

const appKeys = createRoute({
  getParentRoute: () => app,
  path: '/keys',
  component: forRoles('keys.read', () => import('../features/apps/keys-section.tsx'), 'KeysSection'),
});

const appPolicy = createRoute({
  getParentRoute: () => app,
  path: '/policy',
  validateSearch: (search: Record<string, unknown>): { find?: string } =>
    typeof search['find'] === 'string' ? { find: search['find'] } : {},
  component: forRoles('settings.read', () => import('../features/apps/policy-section.tsx'), 'PolicySection'),
});

const appSettings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: forRoles('settings.read', () => import('../features/apps/settings-section.tsx'), 'SettingsSection'),
});

const administrators = createRoute({
  getParentRoute: () => signedIn,
  path: '/administrators',
  component: forRoles(
    'administrators.read',
    () => import('../features/administrators/administrators-page.tsx'),
    'AdministratorsPage',
  ),
});

const ssoRoutes = [
  createRoute({
    getParentRoute: () => signedIn,
    path: '/administrators/single-sign-on',
    component: forRoles('sso.manage', () => import('../features/administrators/sso/sso-page.tsx'), 'SsoPage'),
  }),
  createRoute({
    getParentRoute: () => signedIn,
    path: '/administrators/single-sign-on/new',
    validateSearch: readFrom,
    component: forRoles(
      'sso.manage',
      () => import('../features/administrators/sso/sso-provider-pages.tsx'),
      'NewSsoProviderPage',
    ),
  }),
  createRoute({
    getParentRoute: () => signedIn,
    path: '/administrators/single-sign-on/$providerId',
    component: forRoles(
      'sso.manage',
      () => import('../features/administrators/sso/sso-provider-pages.tsx'),
      'SsoProviderPage',
    ),
  }),
] as const;

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  validateSearch: readProblem,
  component: lazyPage(() => import('../features/account/account-page.tsx'), 'AccountPage'),
});

const system = createRoute({
  getParentRoute: () => signedIn,
  path: '/system',
  component: forRoles('system.read', () => import('../features/system/system-page.tsx'), 'SystemPage'),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: forRoles('audit.read', () => import('../features/audit/audit-page.tsx'), 'AuditPage'),
});

const tree = root.addChildren([
  setup,
  signIn,
  signedInAgain,
  forgotten,
  link,
  ownPhone,
  signedIn.addChildren([
    home,
    apps,
    app.addChildren([
      appHome,
      ...homeRoutes,
      ...beaconRoutes,
      ...venueRoutes,
      ...activityRoutes,
      ...analyticsRoutes,
      ...peopleRoutes,
      ...deviceRoutes,
      ...gatewayRoutes,
      ...bucketRoutes,
      ...fileRoutes,
      ...apiRoutes,
      ...messageRoutes,
      ...pretendRoutes,
      ...trashRoutes,
      ...pushRoutes,
      ...senderRoutes,
      ...webhookRoutes,
      ...signInRoutes,
      appKeys,
      ...ruleRoutes,
      ...privacyRoutes,
      appPolicy,
      appSettings,
    ]),
    administrators,
    ...ssoRoutes,
    account,
    system,
    audit,
  ]),
]);

/** Only a path of the console, so that `next` cannot lead to another site after signing in. */
export function ownPage(next: string | undefined): { readonly to: string; readonly search?: never } {
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
    defaultPendingComponent: PageLoading,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}

import { Stack, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useLocation, useParams, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from '../components/page/blocks.tsx';
import { Lighthouse } from '../components/page/lighthouse.tsx';
import {
  type AppSection,
  appSectionGroups,
  appSections,
  isInMenuOf,
  sectionAt,
} from '../components/sections/app-sections.ts';
import { standingOf, useStanding } from '../lib/data/access.ts';
import { sessionQuery } from '../lib/data/queries.ts';
import { t } from '../lib/words/words.ts';
import { AccountMenu } from './account-menu.tsx';
import { AppSwitcher, type GeneralEntry } from './app-switcher.tsx';
import { DemoBanner } from './demo-banner.tsx';
import { Palette } from './palette/palette.tsx';
import classes from './shell.module.css';

const entries: readonly GeneralEntry[] = [
  { to: '/apps', label: t('Apps'), icon: 'apps', permission: 'apps.read' },
  { to: '/administrators', label: t('Administrators'), icon: 'people', permission: 'administrators.read' },
  { to: '/system', label: t('System'), icon: 'pulse', permission: 'system.read' },
  { to: '/audit', label: t('Audit'), icon: 'list', permission: 'audit.read' },
];

/** The frame of every page behind sign-in. */
export function Shell() {
  const { data: session } = useQuery(sessionQuery);
  const { appId } = useParams({ strict: false });
  const { pathname } = useLocation();
  const menu = useMenu();
  // After signing out, nothing of the old session is shown until the sign-in page opens.
  if (!session) return null;
  const { may } = standingOf(session, undefined);
  const general = entries.filter(({ permission }) => may(permission) && !session.mustEnrol);
  if (session.mustEnrol && pathname !== '/account') return <Navigate to="/account" replace />;
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#page">
        {t('Skip to the page')}
      </a>
      <header className={classes.side} data-open={menu.isOpen || undefined} data-demo={session.demo || undefined}>
        <div className={classes.top}>
          <Link to="/apps" className={classes.brand}>
            <Lighthouse size={28} />
            Pharos
          </Link>
          {!session.mustEnrol && <Palette appId={appId} />}
        </div>
        <UnstyledButton ref={menu.button} className={classes.menu} aria-expanded={menu.isOpen} onClick={menu.toggle}>
          <Icon name={menu.isOpen ? 'close' : 'menu'} />
          {t('Menu')}
        </UnstyledButton>
        {appId && (
          <div className={classes.switcher}>
            <AppSwitcher key={appId} appId={appId} general={general} />
          </div>
        )}
        <div className={classes.sections}>
          {appId ? (
            <AppNavigation key={appId} appId={appId} />
          ) : (
            <Stack component="nav" gap="0.15rem" aria-label={t('Main')}>
              {general.map(({ to, label, icon }) => (
                <Link key={to} to={to} className={classes.entry} activeProps={{ 'aria-current': 'page' }}>
                  <Icon name={icon} />
                  {label}
                </Link>
              ))}
            </Stack>
          )}
        </div>
        <AccountMenu session={session} />
      </header>
      <div inert={menu.isOpen}>
        {session.demo && <DemoBanner />}
        <main id="page" className={classes.page} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}

/** On a phone, the navigation is a sheet over the page, which closes when it has led somewhere. */
function useMenu() {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const router = useRouter();
  // Also a link to the page that is shown.
  useEffect(() => router.subscribe('onBeforeLoad', () => setOpen(false)), [router]);
  useEffect(() => {
    if (!isOpen) return;
    const close = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      setOpen(false);
      button.current?.focus();
    };
    // On a wider screen the navigation is always there.
    const wide = matchMedia('(min-width: 48.01rem)');
    const leave = () => setOpen(false);
    document.addEventListener('keydown', close);
    wide.addEventListener('change', leave);
    return () => {
      document.removeEventListener('keydown', close);
      wide.removeEventListener('change', leave);
    };
  }, [isOpen]);
  return { isOpen, button, toggle: () => setOpen(!isOpen) };
}

function AppNavigation({ appId }: { readonly appId: string }) {
  const standing = useStanding();
  const { pathname } = useLocation();
  const current = sectionAt(appSections, appId, pathname);
  return (
    <Stack component="nav" gap="0.15rem" aria-label={t('Parts of the app')}>
      {appSectionGroups.map(({ title, icon, sections }) => {
        const shown: readonly AppSection[] = standing ? sections.filter(isInMenuOf(standing)) : [];
        const [first] = shown;
        if (!first) return null;
        const label = (
          <>
            <Icon name={icon} />
            {title}
          </>
        );
        const isOpen = shown.length > 1 && shown.some(({ to }) => to === current?.to);
        if (!isOpen)
          return (
            <SectionLink key={title} appId={appId} to={first.to} current={current?.to} className={classes.entry}>
              {label}
            </SectionLink>
          );
        return (
          <div key={title}>
            <span className={classes.entry} data-open>
              {label}
            </span>
            <ul className={classes.parts} aria-label={title}>
              {shown.map((part) => (
                <li key={part.to}>
                  <SectionLink appId={appId} to={part.to} current={current?.to} className={classes.part}>
                    {part.label}
                  </SectionLink>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </Stack>
  );
}

interface SectionLinkProps {
  readonly appId: string;
  readonly to: string;
  /** The section of the page. */
  readonly current: string | undefined;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

function SectionLink({ appId, to, current, className, children }: SectionLinkProps) {
  return (
    <Link
      to={to as '/apps/$appId/home'}
      params={{ appId }}
      className={className}
      // Where the page itself is shown, the link says so; of the pages below it this does.
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={to === current ? 'page' : undefined}
    >
      {children}
    </Link>
  );
}

import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { lazyDialog } from '../components/dialogs/lazy-dialog.tsx';
import { Icon } from '../components/page/blocks.tsx';
import { useAction } from '../lib/actions/use-action.ts';
import { roleTexts } from '../lib/data/access.ts';
import { call } from '../lib/data/api.ts';
import { sessionQuery } from '../lib/data/queries.ts';
import type { Session } from '../lib/wire.ts';
import { t } from '../lib/words/words.ts';
import classes from './account-menu.module.css';

const PasswordDialog = lazyDialog(async () => (await import('./password-dialog.tsx')).PasswordDialog);

/** The signed-in administrator: password, colours, sign-out. */
export function AccountMenu({ session }: { readonly session: Session }) {
  const [isPasswordOpen, setPasswordOpen] = useState(false);
  // Otherwise Mantine inserts a style element that stops transitions while the colours change.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const queries = useQueryClient();
  const router = useRouter();
  const signOut = useAction({
    run: () => call('signOutOfConsole'),
    after: async () => {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, null);
      await router.invalidate();
    },
  });
  return (
    <>
      <Menu width={230}>
        <Menu.Target>
          <UnstyledButton className={classes.account}>
            <span className="off-screen">{t('Account of {name}', { name: session.name })}</span>
            <span className={classes.initial} aria-hidden>
              {session.name.slice(0, 1).toUpperCase()}
            </span>
            <span className={classes.who} aria-hidden>
              <span className={classes.name}>{session.name}</span>
              <span className={classes.role}>{roleTexts[session.role].label}</span>
            </span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{session.email}</Menu.Label>
          <Menu.Item leftSection={<Icon name="shield" />} component={Link} to="/account">
            {t('Sign-in and security')}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="key" />} onClick={() => setPasswordOpen(true)}>
            {t('Change password')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t('Colours')}</Menu.Label>
          {(['light', 'dark', 'auto'] as const).map((scheme) => (
            <Menu.Item
              key={scheme}
              leftSection={<Icon name={scheme === 'light' ? 'sun' : scheme === 'dark' ? 'moon' : 'screen'} />}
              rightSection={colorScheme === scheme ? <Icon name="check" /> : undefined}
              onClick={() => setColorScheme(scheme)}
            >
              {scheme === 'auto' ? t('As the system') : scheme === 'light' ? t('Light') : t('Dark')}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Icon name="leave" />} onClick={() => signOut.mutate()}>
            {t('Sign out')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <PasswordDialog isOpen={isPasswordOpen} onClose={() => setPasswordOpen(false)} />
    </>
  );
}

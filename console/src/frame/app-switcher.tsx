import { Badge, Box, Menu, UnstyledButton } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon, type IconName } from '../components/page/blocks.tsx';
import type { Permission } from '../lib/data/access.ts';
import { appQuery, appsQuery } from '../lib/data/queries.ts';
import { t } from '../lib/words/words.ts';
import classes from './app-switcher.module.css';

/** A page about the service as a whole. */
export interface GeneralEntry {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  readonly permission: Permission;
}

interface Props {
  readonly appId: string;
  readonly general: readonly GeneralEntry[];
}

/** Which app this is, with the way to the others and to the pages about the service. */
export function AppSwitcher({ appId, general }: Props) {
  const { data: app } = useQuery(appQuery(appId));
  const [isOpen, setOpen] = useState(false);
  const { data: apps = [] } = useQuery({ ...appsQuery, enabled: isOpen });
  const clipboard = useClipboard();
  const others = apps.filter((one) => one.appId !== appId);
  return (
    <Menu width="16rem" position="bottom-start" onChange={setOpen}>
      <Menu.Target>
        <UnstyledButton className={classes.switcher}>
          <Box component="span" flex={1} miw={0}>
            <span className={classes.name}>{app?.name ?? '…'}</span>
            <span className={classes.id}>{appId}</span>
          </Box>
          {app?.disabled && <Badge color="gray">{t('Off')}</Badge>}
          <Icon name="down" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={classes.choices}>
        <Menu.Item
          leftSection={<Icon name={clipboard.copied ? 'check' : 'copy'} />}
          closeMenuOnClick={false}
          onClick={() => clipboard.copy(appId)}
        >
          {t('Copy the AppId')}
        </Menu.Item>
        {others.length > 0 && <Menu.Label>{t('Other apps')}</Menu.Label>}
        {others.map((one) => (
          <Menu.Item key={one.appId} component={Link} to={`/apps/${one.appId}`}>
            {one.name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {general.map(({ to, label, icon }) => (
          <Menu.Item key={to} leftSection={<Icon name={icon} />} component={Link} to={to}>
            {to === '/apps' ? t('All apps') : label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

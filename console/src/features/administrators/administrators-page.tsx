import { Badge, Button, Menu, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RowList } from '../../components/list/row-list.tsx';
import blocks from '../../components/page/blocks.module.css';
import { Icon } from '../../components/page/icon.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { type Role, roleOptions, roleTexts, useMay, useSession } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { administratorsQuery } from '../../lib/data/queries.ts';
import { showDate } from '../../lib/time/time.ts';
import type { Administrator } from '../../lib/wire.ts';
import classes from './administrators.module.css';
import { NewAdministratorDialog, ResetPasswordDialog } from './dialogs.tsx';

export function AdministratorsPage() {
  const { data: administrators, error } = useQuery(administratorsQuery);
  const [isAdding, setAdding] = useState(false);
  const [resetting, setResetting] = useState<Administrator>();
  const mayWrite = useMay()('administrators.write');
  return (
    <>
      <PageHeader
        title="Administrators"
        action={
          mayWrite && (
            <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
              Add an administrator
            </Button>
          )
        }
      >
        The people who sign in to this console. They are not users of your apps.
      </PageHeader>
      <RowList rows={administrators} error={error}>
        {(administrator) => (
          <Row
            key={administrator.adminId}
            administrator={administrator}
            isLocked={!mayWrite}
            onResetPassword={() => setResetting(administrator)}
          />
        )}
      </RowList>
      <dl className={classes.roles}>
        {Object.entries(roleTexts).map(([role, { label, sentence }]) => (
          <div key={role}>
            <dt>{label}</dt>
            <dd>{sentence}</dd>
          </div>
        ))}
      </dl>
      <NewAdministratorDialog isOpen={isAdding} onClose={() => setAdding(false)} />
      <ResetPasswordDialog target={resetting} onClose={() => setResetting(undefined)} />
    </>
  );
}

interface RowProps {
  readonly administrator: Administrator;
  readonly isLocked: boolean;
  readonly onResetPassword: () => void;
}

function Row({ administrator, isLocked, onResetPassword }: RowProps) {
  const { adminId, name, email, role, disabled, createdAt } = administrator;
  const isSelf = useSession().adminId === adminId;
  const change = useAction({
    run: (body: { role?: Role; disabled?: boolean }) => call('changeAdministrator', { params: { adminId }, body }),
    done: (_, body) => (body.role ? `${name} is now ${roleTexts[body.role].label.toLowerCase()}.` : undefined),
    refresh: [administratorsQuery.queryKey],
  });
  return (
    <li className={`${blocks.row} ${blocks.stacking}`}>
      <div className={blocks.grow}>
        <div className={blocks.title}>
          {name} {isSelf && <span className={classes.you}>(you)</span>}{' '}
          {disabled && (
            <Badge color="gray" variant="light">
              Off
            </Badge>
          )}
        </div>
        <div className={blocks.meta}>
          <span>{email}</span>
          <span>since {showDate(createdAt)}</span>
        </div>
      </div>
      {isLocked || isSelf ? (
        <Badge variant="light" color="gray" tt="none" size="lg" fw={500}>
          {roleTexts[role].label}
        </Badge>
      ) : (
        <div className={blocks.tools}>
          <NativeSelect
            aria-label={`Role of ${name}`}
            data={roleOptions}
            value={role}
            disabled={change.isPending}
            onChange={(event) => change.mutate({ role: event.currentTarget.value as Role })}
          />
          <Menu>
            <Menu.Target>
              <Button variant="default" aria-label={`More about ${name}`}>
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={onResetPassword}>Set a new password</Menu.Item>
              <Menu.Item {...(disabled ? {} : { color: 'red' })} onClick={() => change.mutate({ disabled: !disabled })}>
                {disabled ? 'Switch on' : 'Switch off'}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </div>
      )}
    </li>
  );
}

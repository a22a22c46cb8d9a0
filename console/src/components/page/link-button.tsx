import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Icon, type IconName } from './icon.tsx';

interface Props {
  readonly to: string;
  readonly params: object;
  readonly search?: object;
  readonly icon: IconName;
  /** Not the main action of the page. */
  readonly isPlain?: boolean;
  readonly children: string;
}

/** A button that leads to another page. */
export function LinkButton({ to, params, search, icon, isPlain = false, children }: Props) {
  return (
    <Button
      variant={isPlain ? 'default' : 'filled'}
      leftSection={<Icon name={icon} size={16} />}
      component={Link}
      to={to}
      params={params as never}
      {...(search ? { search: search as never } : {})}
    >
      {children}
    </Button>
  );
}

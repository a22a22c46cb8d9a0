import { Alert, Box, Button, Skeleton, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { type IconName, iconPaths } from '../../lib/icon-paths.ts';
import { t } from '../../lib/words/words.ts';
import classes from './blocks.module.css';

interface BlockProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a heading. */
export function Block({ title, about, children }: BlockProps) {
  return (
    <section className={classes.block} aria-label={title}>
      <Title order={2}>{title}</Title>
      {about && (
        <Text c="dimmed" mt={2} maw="42rem" component="div">
          {about}
        </Text>
      )}
      <Box mt="1.1rem">{children}</Box>
    </section>
  );
}

/** An error that does not belong to a single field. */
export function FailureNote({ message }: { readonly message: string | undefined }) {
  if (!message) return null;
  return (
    <Alert color="red" icon={<Icon name="warning" />} role="alert">
      {message}
    </Alert>
  );
}

interface LoadingProps {
  /** Undefined until the first answer. */
  readonly data: unknown;
  readonly error: Error | null;
  /** Of the placeholder, px. */
  readonly height: number;
}

/** What stands in the place of an answer: why there is none, or that it is on its way. */
export const Loading = ({ data, error, height }: LoadingProps) => (
  <>
    <FailureNote message={error?.message} />
    {!data && !error && <Skeleton h={height} />}
  </>
);

/** What an empty list says: what would be here, and how to start. */
export interface EmptyTexts {
  readonly icon: IconName;
  readonly title: string;
  readonly text: ReactNode;
}

/** In place of a list without records. */
export function EmptyState({ icon, title, text, action }: EmptyTexts & { readonly action?: ReactNode }) {
  return (
    <div className={classes.empty}>
      <span className={classes.emptyIcon}>
        <Icon name={icon} size={26} />
      </span>
      <Title order={2} ta="center">
        {title}
      </Title>
      <Text size="md" c="dimmed" maw="30rem" ta="center" component="div">
        {text}
      </Text>
      {action}
    </div>
  );
}

interface FoldedProps {
  readonly title: string;
  /** Opens it, since something in it has to be seen. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** What few need: closed until somebody opens it. */
export function Folded({ title, isOpen = false, children }: FoldedProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpen && details.current) details.current.open = true;
  }, [isOpen]);
  return (
    <details ref={details} className={classes.details}>
      <summary>{title}</summary>
      <div className={classes.detailsInside}>{children}</div>
    </details>
  );
}

/** What only installers and developers ask for. */
export const TechnicalDetails = (props: Omit<FoldedProps, 'title'>) => (
  <Folded title={t('Technical details')} {...props} />
);

export type { IconName };

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={iconPaths[name]} />
    </svg>
  );
}

interface ButtonProps {
  readonly to: string;
  readonly params: object;
  readonly search?: object;
  readonly icon: IconName;
  /** Not the main action of the page. */
  readonly isPlain?: boolean;
  readonly children: string;
}

export function LinkButton({ to, params, search, icon, isPlain = false, children }: ButtonProps) {
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

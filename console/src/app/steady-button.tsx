import type { ComponentProps, MouseEvent } from 'react';

interface Props extends ComponentProps<'button'> {
  readonly 'data-loading'?: boolean;
  readonly 'data-disabled'?: boolean;
}

/**
 * While it waits for an answer it cannot be pressed again and keeps the focus, which browsers take from what is disabled. What says
 * itself how far it is waits with `data-disabled` instead of `loading`.
 */
export function SteadyButton({ type = 'button', disabled, onClick, ...props }: Props) {
  const waits = props['data-disabled'] === true ? !disabled : props['data-loading'] === true;
  return (
    <button
      {...props}
      type={type}
      disabled={disabled && !waits}
      aria-disabled={waits || undefined}
      onClick={waits ? hold : onClick}
    />
  );
}

function hold(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

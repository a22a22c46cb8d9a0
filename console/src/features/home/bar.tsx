import classes from './home.module.css';

interface Props {
  /** From 0 to 1. */
  readonly part: number;
  readonly tone?: 'usual' | 'bad' | 'quiet';
}

/** A decorative bar beside a number. */
export function Bar({ part, tone = 'usual' }: Props) {
  return (
    <svg className={classes.bar} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect className={classes.track} width="100" height="4" />
      <rect className={classes[tone]} width={Math.max(part > 0 ? 1 : 0, part * 100)} height="4" />
    </svg>
  );
}

import { Link, type LinkComponent, type LinkComponentProps } from '@tanstack/react-router';
import classes from './names.module.css';

/** A link to another page of the console that is a word or a name. */
export const TextLink = ((props: LinkComponentProps) => (
  <Link {...props} className={classes.link} />
)) as LinkComponent<'a'>;

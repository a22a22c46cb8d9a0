import type { Times } from '../../lib/time/times.ts';
import { wallTime } from '../../lib/time/zoned-time.ts';
import { dateLocale, t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import classes from './phone-preview.module.css';

interface Props {
  readonly appName: string;
  readonly title: string;
  readonly body: string;
  /** Address of the picture; only the service's own addresses can be loaded. */
  readonly picture?: string | undefined;
  /** Shown below the text if there is no picture to load. */
  readonly attachment?: { readonly icon: 'picture' | 'play' | 'link'; readonly text: string } | undefined;
  /** What a tap opens. */
  readonly link?: string | undefined;
  readonly badge?: number | undefined;
  readonly times: Times;
}

/** A message roughly as a locked phone shows it. */
export function PhonePreview({ appName, title, body, picture, attachment, link, badge, times }: Props) {
  const now = wallTime(Date.now(), times.zone);
  const day = new Intl.DateTimeFormat(dateLocale(), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: times.zone,
  });
  return (
    <figure className={classes.phone} aria-label={t('Preview on a phone')}>
      <div className={classes.clock} aria-hidden>
        <span>{day.format(Date.now())}</span>
        <b>{now.slice(11)}</b>
      </div>
      <div className={classes.message}>
        <div className={classes.head}>
          <span className={classes.app}>{appName || t('Your app')}</span>
          <span>{t('now')}</span>
          {badge !== undefined && badge > 0 && <span className={classes.badge}>{badge}</span>}
        </div>
        <div className={classes.title}>{title}</div>
        <div className={classes.body}>{body}</div>
        {picture && <img className={classes.picture} src={picture} alt={t('In the message')} />}
        {!picture && attachment && (
          <div className={classes.attachment}>
            <Icon name={attachment.icon} size={22} />
            <span>{attachment.text}</span>
          </div>
        )}
      </div>
      {link && <figcaption className={classes.tap}>{t('A tap opens {link}', { link })}</figcaption>}
    </figure>
  );
}

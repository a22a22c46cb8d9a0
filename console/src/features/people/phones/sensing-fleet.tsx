import { findingOf } from '@pharos/sdk/sensing';
import { useQuery } from '@tanstack/react-query';
import { Block } from '../../../components/page/blocks.tsx';
import { pageLanguage, t, translated } from '../../../lib/words/words.ts';
import classes from '../people.module.css';
import { sensingQuery } from '../queries.ts';

const percent = new Intl.NumberFormat(pageLanguage(), { style: 'percent' });

/** What keeps the phones of the app from hearing beacons, with the versions of the app that have more of it, or less. */
export function SensingFleet({ appId }: { readonly appId: string }) {
  const { data } = useQuery(sensingQuery(appId));
  if (!data || data.phones === 0) return null;
  return (
    <Block
      title={t('How phones hear beacons')}
      about={t(
        '{count, plural, one {One phone has} other {{count, number} phones have}} reported it in the last 30 days. What stops a phone first is counted.',
        { count: data.phones },
      )}
    >
      {data.causes.length === 0 && t('All of them can hear beacons.')}
      <ul className={classes.happened}>
        {data.causes.map(({ cause, phones }) => (
          <li key={cause}>
            <span className={classes.soft}>
              {t('{share} ({count, number})', { share: percent.format(phones / data.phones), count: phones })}
            </span>
            <div>
              {translated(findingOf(cause)?.text ?? '')}
              <div className={classes.soft}>{sharesOf(cause, data.versions)}</div>
            </div>
          </li>
        ))}
      </ul>
    </Block>
  );
}

interface Version {
  readonly appVersion: string | null;
  readonly phones: number;
  readonly causes: readonly { readonly cause: string; readonly phones: number }[];
}

/** `2.4.1: 31 % · 2.4.0: 4 %`. One version alone has the share of all. */
function sharesOf(cause: string, versions: readonly Version[]): string {
  if (versions.length < 2) return '';
  return versions
    .map(({ appVersion, phones, causes }) => {
      const own = causes.find((one) => one.cause === cause)?.phones ?? 0;
      return `${appVersion ?? t('unknown version')}: ${percent.format(own / phones)}`;
    })
    .join(' · ');
}

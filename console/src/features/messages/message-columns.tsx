import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../components/list/data-table.tsx';
import { Icon } from '../../components/page/blocks.tsx';
import { appRules, eventTexts } from '../../components/rules/rules.ts';
import type { BeaconNames } from '../../lib/data/beacon-names.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { languageText } from '../../lib/text/languages.ts';
import { t } from '../../lib/words/words.ts';
import { attachmentOf, isInSeries, type Message } from './message.ts';
import { MessageSwitch } from './message-switch.tsx';
import { languagesOfMessage, nextDates } from './message-words.ts';
import classes from './messages.module.css';
import { placesText } from './sentence/parts.ts';

const icons = { TEXT: 'bell', URL: 'link', IMAGE: 'picture', VIDEO: 'play' } as const;

interface Shown {
  readonly appId: string;
  readonly names: BeaconNames;
  readonly mayChange: boolean;
}

export const columnsOf = ({ appId, names, mayChange }: Shown): readonly Column<Message>[] => [
  {
    name: 'name',
    label: t('Message'),
    sortBy: 'name',
    render: (one) => <Lead appId={appId} message={one} names={names} />,
  },
  { name: 'next', label: t('Shown'), render: (one) => <NextDates appId={appId} message={one} /> },
  { name: 'languages', label: t('Languages'), render: (one) => <InLanguages message={one} /> },
  {
    name: 'isEnabled',
    label: t('On'),
    sortBy: 'isEnabled',
    render: (one) => <MessageSwitch appId={appId} message={one} isLocked={!mayChange} />,
  },
];

function Lead({ appId, message, names }: Omit<Shown, 'mayChange'> & { readonly message: Message }) {
  const { objectId, name, fields, stored } = message;
  const { beacons, event } = fields;
  const isGone = beacons.length > 0 && beacons.slice(0, 3).every((id) => names(id) === null);
  const count = stored.kind === 'storyline' ? stored.scenarios.length : 1;
  return (
    <Group component="span" gap="0.75rem" miw={0} wrap="nowrap">
      <Thumbnail appId={appId} message={message} />
      <span>
        <Link to="/apps/$appId/messages/$messageId" params={{ appId, messageId: objectId }}>
          {name}
        </Link>
        <span className={classes.place} data-gone={isGone || undefined}>
          {isInSeries(message)
            ? t('{count} messages in one series', { count })
            : beacons.length === 0
              ? t('No place yet')
              : `${eventTexts[event].verb} ${placesText(beacons, names)}`}
        </span>
      </span>
    </Group>
  );
}

function Thumbnail({ appId, message: { fields } }: { readonly appId: string; readonly message: Message }) {
  const picture = ownFilePath(fields.urlImageIOS || fields.urlImageAndroid, appId);
  if (picture) return <img className={classes.thumbnail} src={picture} alt="" loading="lazy" />;
  return (
    <span className={classes.thumbnail}>
      <Icon name={icons[attachmentOf(fields)]} />
    </span>
  );
}

function NextDates({ appId, message }: { readonly appId: string; readonly message: Message }) {
  const { data: app } = useQuery(appQuery(appId));
  if (!app) return '…';
  return nextDates(message.fields, appRules(app.policy), { zone: app.policy.timeZone, now: Date.now() });
}

function InLanguages({ message: { fields } }: { readonly message: Message }) {
  const languages = languagesOfMessage(fields);
  if (languages.length === 1 && fields.language === '') return <span className="soft">{t('not said')}</span>;
  return (
    <span className={classes.inLanguages}>
      {languages.map((one) => (
        <span key={one.tag} data-lacks={one.lacks.length > 0 || undefined}>
          {languageText(one)}
        </span>
      ))}
    </span>
  );
}

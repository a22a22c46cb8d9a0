import { useQuery } from '@tanstack/react-query';
import { Link, type LinkComponent, type LinkComponentProps } from '@tanstack/react-router';
import { useMayCall } from '../../lib/data/access.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { beaconNameQuery, pushNameQuery, triggerNameQuery } from '../../lib/data/names.ts';
import { t } from '../../lib/words/words.ts';
import classes from './names.module.css';

interface BeaconProps {
  readonly appId: string;
  readonly beaconId: string;
}

export function BeaconName({ appId, beaconId }: BeaconProps) {
  const { data: name } = useQuery(beaconNameQuery(appId, beaconId));
  if (name === undefined) return <span className="soft">…</span>;
  return name === null ? <i>{t('a deleted beacon')}</i> : name;
}

export function BeaconLink({ appId, beaconId }: BeaconProps) {
  return (
    <TextLink to="/apps/$appId/beacons/$beaconId" params={{ appId, beaconId }}>
      <BeaconName appId={appId} beaconId={beaconId} />
    </TextLink>
  );
}

interface TriggerProps {
  readonly appId: string;
  readonly triggerId: string;
}

const gone = <i>{t('a deleted message')}</i>;

export function TriggerName({ appId, triggerId }: TriggerProps) {
  const { data: found } = useQuery(triggerNameQuery(appId, triggerId));
  if (found === undefined) return <span className="soft">…</span>;
  return found === null ? gone : found.name;
}

interface MessageProps {
  readonly appId: string;
  readonly delivery: { readonly pushId?: string; readonly triggerId?: string };
}

export function MessageName({ appId, delivery: { pushId, triggerId } }: MessageProps) {
  if (pushId) return <PushName appId={appId} pushId={pushId} />;
  return triggerId ? <TriggerName appId={appId} triggerId={triggerId} /> : t('A push');
}

function PushName({ appId, pushId }: { readonly appId: string; readonly pushId: string }) {
  const { data: name } = useQuery(pushNameQuery(appId, pushId));
  if (name === undefined) return <span className="soft">…</span>;
  return name ?? t('A push');
}

export function TriggerLink({ appId, triggerId }: TriggerProps) {
  const { data: found } = useQuery(triggerNameQuery(appId, triggerId));
  if (found === undefined) return <span className="soft">…</span>;
  if (found === null) return gone;
  if (found.isHidden) return <i>{found.name}</i>;
  return (
    <TextLink to="/apps/$appId/messages/$messageId" params={{ appId, messageId: triggerId }}>
      {found.name}
    </TextLink>
  );
}

/** The end of an objectId. Ids begin with a time, so their ends differ most. */
export const shortId = (objectId: string): string =>
  isPseudonym(objectId) ? objectId.slice(0, 4) : objectId.slice(-6);

/** In apps with pseudonyms a phone is shown as 32 hexadecimal digits, which change every day and have no page. */
export const isPseudonym = (objectId: string): boolean => /^[0-9a-f]{32}$/.test(objectId);

/** A visitor, who is only known by the id of the installation. */
export function VisitorId({ objectId }: { readonly objectId: string }) {
  return (
    <span className="mono" title={objectId}>
      {shortId(objectId)}
    </span>
  );
}

/** The id as a link to the installation, if the role may see it. */
export function VisitorLink({ appId, installationId }: { readonly appId: string; readonly installationId: string }) {
  const mayOpen = useMayCall()('getInstallation');
  if (!mayOpen || isPseudonym(installationId)) return <VisitorId objectId={installationId} />;
  return (
    <TextLink to="/apps/$appId/installations/$installationId" params={{ appId, installationId }}>
      <VisitorId objectId={installationId} />
    </TextLink>
  );
}

interface NamesProps {
  readonly appId: string;
  readonly beaconIds: readonly string[];
}

export function BeaconNames({ appId, beaconIds }: NamesProps) {
  const names = useBeaconNames(appId, beaconIds);
  if (beaconIds.length === 0) return <>{t('no beacon')}</>;
  return (
    <>{beaconIds.map((id) => names(id) ?? (names(id) === null ? t('a beacon that is deleted') : '…')).join(', ')}</>
  );
}

/** A link to another page of the console that is a word or a name. */
export const TextLink = ((props: LinkComponentProps) => (
  <Link {...props} className={classes.link} />
)) as LinkComponent<'a'>;

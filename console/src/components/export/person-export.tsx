import { ConfirmedDownload } from './confirmed-download.tsx';

interface Props {
  readonly appId: string;
  readonly kind: 'user' | 'installation';
  readonly objectId: string;
}

/** Exports everything that is known of a person, as one JSON file that the service writes while it is saved. */
export function PersonExport({ appId, kind, objectId }: Props) {
  return <ConfirmedDownload href={`/console/api/apps/${encodeURIComponent(appId)}/${kind}s/${objectId}/export`} />;
}

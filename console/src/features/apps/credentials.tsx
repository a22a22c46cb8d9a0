import { CopyField } from '../../components/code/copy-field.tsx';
import { SecretShownOnce } from '../../components/dialogs/shown-once.tsx';
import { t } from '../../lib/words/words.ts';

export interface Credentials {
  readonly appId: string;
  readonly appKey: string;
}

/** A list that the app's rules show to everyone with the app. */
export type OpenList = 'beacons' | 'users';

/** A first request that works as pasted: what everyone with the app may read. */
function appCurl({ appId, appKey }: Credentials, open: OpenList, origin = window.location.origin): string {
  return [
    `curl '${origin}/api/v2/${open}?limit=1'`,
    `-H 'X-Service-AppId: ${appId}'`,
    `-H 'X-Service-AppKey: ${appKey}'`,
  ].join(' \\\n  ');
}

interface Props {
  readonly credentials: Credentials;
  readonly open: OpenList;
  readonly onClose: () => void;
}

export function CredentialsShownOnce({ credentials, open, onClose }: Props) {
  return (
    <SecretShownOnce
      warning={t('The key is shown only now. Put it where your app keeps its settings.')}
      stored={t('I have stored the key')}
      onClose={onClose}
    >
      <CopyField label={t('AppId')} text={credentials.appId} />
      <CopyField label={t('AppKey')} text={credentials.appKey} />
      <CopyField label={t('Try it in a terminal')} text={appCurl(credentials, open)} isBlock />
    </SecretShownOnce>
  );
}

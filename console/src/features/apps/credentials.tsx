import { CopyField } from '../../components/code/copy-field.tsx';
import { SecretShownOnce } from '../../components/dialogs/shown-once.tsx';

export interface Credentials {
  readonly appId: string;
  readonly appKey: string;
}

/** A first request that works as pasted. */
function appCurl({ appId, appKey }: Credentials, origin = window.location.origin): string {
  return [
    `curl '${origin}/api/v2/users?limit=1'`,
    `-H 'X-Service-AppId: ${appId}'`,
    `-H 'X-Service-AppKey: ${appKey}'`,
  ].join(' \\\n  ');
}

/** Shows the credentials of an app once. */
export function CredentialsShownOnce({ credentials, onClose }: { credentials: Credentials; onClose: () => void }) {
  return (
    <SecretShownOnce
      warning="The key is shown only now. Put it where your app keeps its settings."
      stored="I have stored the key"
      onClose={onClose}
    >
      <CopyField label="AppId" text={credentials.appId} />
      <CopyField label="AppKey" text={credentials.appKey} />
      <CopyField label="Try it in a terminal" text={appCurl(credentials)} isBlock />
    </SecretShownOnce>
  );
}

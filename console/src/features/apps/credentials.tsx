import { Alert, Stack } from '@mantine/core';
import { CopyField } from '../../components/code/copy-field.tsx';
import { Icon } from '../../components/page/icon.tsx';

export interface Credentials {
  readonly appId: string;
  readonly appKey: string;
}

/** A first request that works as pasted. */
export function curlLine({ appId, appKey }: Credentials, origin = window.location.origin): string {
  return [
    `curl '${origin}/api/v2/users?limit=1'`,
    `-H 'X-Service-AppId: ${appId}'`,
    `-H 'X-Service-AppKey: ${appKey}'`,
  ].join(' \\\n  ');
}

/** The credentials of an app, the one time that they can be seen. */
export function CredentialsShownOnce(credentials: Credentials) {
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<Icon name="warning" />}>
        The key is shown only now. Put it where your app keeps its settings.
      </Alert>
      <CopyField label="AppId" text={credentials.appId} />
      <CopyField label="AppKey" text={credentials.appKey} />
      <CopyField label="Try it in a terminal" text={curlLine(credentials)} isBlock />
    </Stack>
  );
}

import { Button, Modal, Stack, Text } from '@mantine/core';
import { addressOf, type OperationId, operations, type Query } from '@pharos/sdk';
import { useState } from 'react';
import { t } from '../../lib/words/words.ts';
import { CopyField } from './copy-field.tsx';

export interface ShownRequest {
  readonly operation: OperationId;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
}

/** The request as an app sends it. Apostrophes are encoded because they would end the quoted address. */
export function recordCurl(appId: string, request: ShownRequest, origin = window.location.origin): string {
  const { method, path } = operations[request.operation];
  const address = addressOf(path, { params: request.params ?? {}, query: { ...request.query } }).replaceAll("'", '%27');
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${origin}/api/v2${address}'`,
    `-H 'X-Service-AppId: ${appId}'`,
    "-H 'X-Service-AppKey: YOUR-APP-KEY'",
    "-H 'Authorization: Bearer ACCESS-TOKEN'",
  ].join(' \\\n  ');
}

export function ShowRequest({ appId, request }: { readonly appId: string; readonly request: ShownRequest }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="subtle" size="compact-sm" color="gray" onClick={() => setOpen(true)}>
        {t('Show the request')}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t('The request behind this page')} size="lg">
        <Stack>
          <Text>
            {t(
              "Your app gets the same data with this request. Insert one of the app's keys and a user's access token.",
            )}
          </Text>
          <CopyField label={t('In a terminal')} text={recordCurl(appId, request)} isBlock />
        </Stack>
      </Modal>
    </>
  );
}

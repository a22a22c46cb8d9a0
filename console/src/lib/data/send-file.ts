import { errorOfAnswer, PharosError } from '@pharos/sdk';
import { translatedError } from '../words/translated-error.ts';
import { t } from '../words/words.ts';
import { pageHeaders } from './whose-page.ts';

interface Sending {
  /** From 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
}

/** Uploads a file to an app, with XMLHttpRequest because fetch reports no progress. @throws PharosError, also when cancelled */
export function sendFile(appId: string, file: File, { onProgress, signal }: Sending): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const broken = (name: string, message: string) => reject(new PharosError(message, { name, code: 0, status: 0 }));
    request.open('POST', `/console/api/apps/${encodeURIComponent(appId)}/v2/files/${encodeURIComponent(file.name)}`);
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream');
    for (const [name, value] of Object.entries(pageHeaders())) request.setRequestHeader(name, value);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () =>
      request.status === 201
        ? resolve()
        : reject(translatedError(errorOfAnswer(request.status, request.response as unknown)));
    request.onerror = () => broken('Unreachable', t('The service does not answer. Is it running, and are you online?'));
    request.onabort = () => broken(t('Cancelled'), t('Cancelled.'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

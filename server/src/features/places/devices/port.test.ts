import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { test } from 'vitest';
import { selfSignedCertificate } from '../../../../test/fakes/certificate.ts';
import { buildApp } from '../../../../test/support/build-app.ts';
import type { DeviceBroker } from '../../../delivery/mqtt/mqtt-device-broker.ts';

test('a new certificate is used without a restart, and one whose key is not there yet is not', async ({
  onTestFinished,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-certificate-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const [former, renewed] = [selfSignedCertificate(), selfSignedCertificate()];
  writeFileSync(certFile, former.cert);
  writeFileSync(keyFile, former.key);
  const app = await buildApp({
    settings: { PHAROS_MQTT_PORT: '0', PHAROS_MQTT_CERT: certFile, PHAROS_MQTT_KEY: keyFile },
  });
  onTestFinished(() => app.close());
  const { port } = await listening(app.app.devices);
  const seen = async () => {
    app.app.sweep();
    await app.app.idle();
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const fingerprintOf = ({ cert }: { readonly cert: string }) => new X509Certificate(cert).fingerprint256;
  assert.equal(await seen(), fingerprintOf(former));
  writeFileSync(certFile, renewed.cert);
  assert.equal(await seen(), fingerprintOf(former));
  assert.match(
    app.log.join(''),
    /PHAROS_MQTT_CERT \(\S+\) and PHAROS_MQTT_KEY \(\S+\) must be a certificate and its key/,
  );
  writeFileSync(keyFile, renewed.key);
  assert.equal(await seen(), fingerprintOf(renewed));
});

async function listening(broker: DeviceBroker | undefined): Promise<DeviceBroker> {
  assert.ok(broker);
  await broker.listen(0, '127.0.0.1');
  return broker;
}

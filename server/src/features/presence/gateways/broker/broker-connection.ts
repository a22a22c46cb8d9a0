import type { IClientOptions, MqttClient } from 'mqtt';
import { isTooNew } from '../../../../delivery/mqtt/broker/mqtt-broker-client.ts';

/** Connects to the broker of gateways, again whenever it is lost: with MQTT 5, or with 3.1.1 if it knows no other. */
export async function connectToBroker(
  url: string,
  options: IClientOptions,
  onError: (error: Error) => void,
): Promise<MqttClient> {
  // Loaded only when used: it takes 6 MB.
  const { connect } = await import('mqtt');
  const client = connect(url, {
    ...{ protocolVersion: 5, resubscribe: false, reconnectOnConnackError: true, reconnectPeriod: 2_000 },
    ...loginOf(url),
    ...options,
  });
  client.on('error', (error) => {
    if (client.options.protocolVersion === 5 && isTooNew(error)) client.options.protocolVersion = 4;
    else onError(error);
  });
  return client;
}

/** User and password of an address, as MQTT sends them. */
function loginOf(url: string): Pick<IClientOptions, 'username' | 'password'> {
  const { username, password } = new URL(url);
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

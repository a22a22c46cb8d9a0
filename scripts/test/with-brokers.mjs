/** Before the tests of brokers, which say themselves what is not there. */
import { ensureMosquitto } from './mosquitto.mjs';
import { ensureNats } from './nats.mjs';

export default function setup() {
  process.env.PHAROS_TEST_MOSQUITTO = ensureMosquitto() ?? '';
  process.env.PHAROS_TEST_NATS = ensureNats() ?? '';
}

/** Reason codes of MQTT 5.0, table 2-6, that a device can get. */
export const reasons = Object.freeze({
  unspecified: 0x80,
  malformed: 0x81,
  protocolError: 0x82,
  unsupportedVersion: 0x84,
  clientIdNotValid: 0x85,
  badCredentials: 0x86,
  notAuthorized: 0x87,
  shuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  takenOver: 0x8e,
  filterInvalid: 0x8f,
  topicInvalid: 0x90,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  rateTooHigh: 0x96,
  retainNotSupported: 0x9a,
  qosNotSupported: 0x9b,
  sharedNotSupported: 0x9e,
  subscriptionIdsNotSupported: 0xa1,
  wildcardsNotSupported: 0xa2,
});

/** A packet that the protocol does not allow; it ends the connection. */
export class MqttFault extends Error {
  /** Of MQTT 5.0. */
  readonly code: number;
  /** Set for a CONNECT whose protocol version could be read: the form in which to answer it. */
  readonly version: 3 | 4 | 5 | undefined;

  constructor(code: number, version?: 3 | 4 | 5) {
    super(`reason code 0x${code.toString(16)}`);
    this.name = 'MqttFault';
    this.code = code;
    this.version = version;
  }
}

/** How a phone can sense: without the client, for the service and its console. */
export { findingOf, type SensingDevice, type SensingFinding, type SensingHealth, sensingFindings } from './findings.ts';

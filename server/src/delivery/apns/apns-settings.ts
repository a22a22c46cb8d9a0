import { Entered } from '../push/entered.ts';

export interface ApnsSettings {
  /** The .p8 file's text, PEM. */
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  readonly bundleId: string;
  readonly environment: 'production' | 'sandbox';
}

const bundleIdPattern = /^[A-Za-z0-9.-]{1,155}$/;

export function isBundleId(text: string): boolean {
  return bundleIdPattern.test(text);
}

const account = 'in the Apple developer account under Certificates, Identifiers & Profiles, Keys';

/** @throws Failure ValidationError */
export function readApnsSettings(given: unknown): ApnsSettings {
  const entered = new Entered(given);
  const key = entered.privateKey('key', 'P-256', `must be the text of the .p8 file that Apple gives once ${account}`);
  const keyId = entered.text('keyId', /^[A-Z0-9]{10}$/, `must be the key's id, ten capitals and digits, ${account}`);
  const teamId = entered.text(
    'teamId',
    /^[A-Z0-9]{10}$/,
    'must be the team id, ten capitals and digits, in the Apple developer account under Membership',
  );
  const bundleId = entered.text('bundleId', bundleIdPattern, "must be the app's bundle id, like com.example.app");
  const environment = entered.get('environment') ?? 'production';
  if (environment !== 'production' && environment !== 'sandbox') {
    entered.problem('environment', 'must be production (App Store and TestFlight) or sandbox (builds from Xcode)');
  }
  entered.check('The APNs credentials cannot be used; see details.');
  return { key, keyId, teamId, bundleId, environment: environment === 'sandbox' ? 'sandbox' : 'production' };
}

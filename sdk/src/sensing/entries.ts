export interface PlatformEntryOptions {
  /** Why the app uses the location, in a sentence for visitors: the system shows it with its question. */
  readonly purpose: string;
  /** Whether beacons are heard in the background, too; true by default. */
  readonly background?: boolean;
  /** Whether notifications are shown; true by default. */
  readonly notifications?: boolean;
  /** On Android, whether a foreground service scans all the time; false by default. */
  readonly foregroundService?: boolean;
}

/** What goes into the files of the two platforms, ready to be pasted. */
export interface PlatformEntries {
  /** Within the `dict` of `Info.plist`. */
  readonly infoPlist: string;
  /** Within the `manifest` of `AndroidManifest.xml`. */
  readonly androidManifest: string;
}

const xml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/**
 * Writes the entries without which a platform does not even ask:
 * https://developer.apple.com/documentation/corelocation/requesting-authorization-to-use-location-services and
 * https://developer.android.com/develop/connectivity/bluetooth/bt-permissions. `BLUETOOTH_SCAN` is without `neverForLocation`, which
 * would filter beacons out.
 *
 * @throws TypeError for an empty purpose, which Apple refuses
 */
export function platformEntries({
  purpose,
  background = true,
  notifications = true,
  foregroundService = false,
}: PlatformEntryOptions): PlatformEntries {
  if (purpose.trim() === '') throw new TypeError('purpose is empty: say in a sentence why the app uses the location.');
  const said = `<string>${xml(purpose.trim())}</string>`;
  const permission = (name: string, more = '') =>
    `<uses-permission android:name="android.permission.${name}"${more} />`;
  return {
    infoPlist: [
      `<key>NSLocationWhenInUseUsageDescription</key>\n${said}`,
      ...(background ? [`<key>NSLocationAlwaysAndWhenInUseUsageDescription</key>\n${said}`] : []),
      `<key>NSLocationTemporaryUsageDescriptionDictionary</key>\n<dict>\n  <key>Beacons</key>\n  ${said}\n</dict>`,
    ].join('\n'),
    androidManifest: [
      permission('BLUETOOTH', ' android:maxSdkVersion="30"'),
      permission('BLUETOOTH_ADMIN', ' android:maxSdkVersion="30"'),
      permission('BLUETOOTH_SCAN'),
      permission('ACCESS_COARSE_LOCATION'),
      permission('ACCESS_FINE_LOCATION'),
      ...(background ? [permission('ACCESS_BACKGROUND_LOCATION')] : []),
      ...(notifications ? [permission('POST_NOTIFICATIONS')] : []),
      ...(foregroundService ? [permission('FOREGROUND_SERVICE'), permission('FOREGROUND_SERVICE_LOCATION')] : []),
    ].join('\n'),
  };
}

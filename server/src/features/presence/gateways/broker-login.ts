/** User and password of an address, as MQTT sends them. */
export function brokerLogin(url: string): { readonly username?: string; readonly password?: string } {
  const { username, password } = new URL(url);
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

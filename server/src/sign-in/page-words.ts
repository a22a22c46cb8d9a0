import type { IncomingHttpHeaders } from 'node:http';

/**
 * The texts of the pages behind links in mails, in the languages of the console. These pages have no script, and whoever reads them may
 * have no account, so the browser's own setting says which language it is.
 */

export type PageLanguage = 'en' | 'de' | 'fr' | 'es' | 'id';

type Translations = Readonly<Record<Exclude<PageLanguage, 'en'>, string>>;

const words = {
  'New password': { de: 'Neues Passwort', fr: 'Nouveau mot de passe', es: 'Nueva contraseña', id: 'Kata sandi baru' },
  'Choose a new password': {
    de: 'Wählen Sie ein neues Passwort',
    fr: 'Choisissez un nouveau mot de passe',
    es: 'Elija una contraseña nueva',
    id: 'Pilih kata sandi baru',
  },
  'For your account at {app}.': {
    de: 'Für Ihr Konto bei {app}.',
    fr: 'Pour votre compte chez {app}.',
    es: 'Para su cuenta en {app}.',
    id: 'Untuk akun Anda di {app}.',
  },
  'New password, {least} to 50 characters': {
    de: 'Neues Passwort, {least} bis 50 Zeichen',
    fr: 'Nouveau mot de passe, de {least} à 50 caractères',
    es: 'Contraseña nueva, de {least} a 50 caracteres',
    id: 'Kata sandi baru, {least} sampai 50 karakter',
  },
  'Set the new password': {
    de: 'Neues Passwort festlegen',
    fr: 'Définir le nouveau mot de passe',
    es: 'Establecer la contraseña nueva',
    id: 'Tetapkan kata sandi baru',
  },
  'The password needs {least} to 50 characters.': {
    de: 'Das Passwort braucht {least} bis 50 Zeichen.',
    fr: 'Le mot de passe doit avoir de {least} à 50 caractères.',
    es: 'La contraseña necesita de {least} a 50 caracteres.',
    id: 'Kata sandi harus {least} sampai 50 karakter.',
  },
  Done: { de: 'Erledigt', fr: 'C’est fait', es: 'Hecho', id: 'Selesai' },
  'Your new password is set. You can now sign in to {app} with it.': {
    de: 'Ihr neues Passwort gilt. Sie können sich damit jetzt bei {app} anmelden.',
    fr: 'Votre nouveau mot de passe est défini. Vous pouvez maintenant vous connecter à {app} avec lui.',
    es: 'Su contraseña nueva ya vale. Ahora puede iniciar sesión en {app} con ella.',
    id: 'Kata sandi baru Anda telah ditetapkan. Kini Anda dapat masuk ke {app} dengannya.',
  },
  'Your e-mail address': {
    de: 'Ihre E-Mail-Adresse',
    fr: 'Votre adresse e-mail',
    es: 'Su dirección de correo',
    id: 'Alamat email Anda',
  },
  'Confirm your address': {
    de: 'Bestätigen Sie Ihre Adresse',
    fr: 'Confirmez votre adresse',
    es: 'Confirme su dirección',
    id: 'Konfirmasi alamat Anda',
  },
  'The address is mine': {
    de: 'Das ist meine Adresse',
    fr: 'C’est mon adresse',
    es: 'Es mi dirección',
    id: 'Ini alamat saya',
  },
  'Your address is confirmed. You can go back to {app}.': {
    de: 'Ihre Adresse ist bestätigt. Sie können zu {app} zurückkehren.',
    fr: 'Votre adresse est confirmée. Vous pouvez revenir à {app}.',
    es: 'Su dirección está confirmada. Puede volver a {app}.',
    id: 'Alamat Anda telah dikonfirmasi. Anda dapat kembali ke {app}.',
  },
  'Reports by mail': {
    de: 'Berichte per E-Mail',
    fr: 'Rapports par e-mail',
    es: 'Informes por correo',
    id: 'Laporan lewat email',
  },
  'Do you want the figures of {name} by mail?': {
    de: 'Möchten Sie die Zahlen von {name} per E-Mail?',
    fr: 'Voulez-vous recevoir les chiffres de {name} par e-mail ?',
    es: '¿Quiere recibir las cifras de {name} por correo?',
    id: 'Apakah Anda ingin menerima angka {name} lewat email?',
  },
  'Yes, send them to me': {
    de: 'Ja, schicken Sie sie mir',
    fr: 'Oui, envoyez-les-moi',
    es: 'Sí, envíenmelas',
    id: 'Ya, kirimkan kepada saya',
  },
  'Done. The next report comes to you.': {
    de: 'Erledigt. Der nächste Bericht kommt zu Ihnen.',
    fr: 'C’est fait. Le prochain rapport vous sera envoyé.',
    es: 'Hecho. El próximo informe le llegará.',
    id: 'Selesai. Laporan berikutnya akan dikirim kepada Anda.',
  },
  'Do you want no more reports about {name}?': {
    de: 'Möchten Sie keine Berichte über {name} mehr?',
    fr: 'Ne voulez-vous plus de rapports sur {name} ?',
    es: '¿Ya no quiere más informes sobre {name}?',
    id: 'Apakah Anda tidak ingin lagi menerima laporan tentang {name}?',
  },
  'Send me no more of them': {
    de: 'Schicken Sie mir keine mehr',
    fr: 'Ne m’en envoyez plus',
    es: 'No me envíen más',
    id: 'Jangan kirim lagi',
  },
  'Done. You get no more of these mails.': {
    de: 'Erledigt. Sie bekommen keine dieser E-Mails mehr.',
    fr: 'C’est fait. Vous ne recevrez plus ces e-mails.',
    es: 'Hecho. Ya no recibirá estos correos.',
    id: 'Selesai. Anda tidak akan menerima email ini lagi.',
  },
  'This link is not valid, has expired or has been used.': {
    de: 'Dieser Link ist ungültig, abgelaufen oder schon benutzt.',
    fr: 'Ce lien n’est pas valide, a expiré ou a déjà servi.',
    es: 'Este enlace no es válido, ha caducado o ya se ha usado.',
    id: 'Tautan ini tidak valid, telah kedaluwarsa, atau sudah digunakan.',
  },
  'This link is not valid, has expired or has been used. Ask for a new mail in the app.': {
    de: 'Dieser Link ist ungültig, abgelaufen oder schon benutzt. Fordern Sie in der App eine neue E-Mail an.',
    fr: 'Ce lien n’est pas valide, a expiré ou a déjà servi. Demandez un nouvel e-mail dans l’app.',
    es: 'Este enlace no es válido, ha caducado o ya se ha usado. Pida un correo nuevo en la app.',
    id: 'Tautan ini tidak valid, telah kedaluwarsa, atau sudah digunakan. Minta email baru di aplikasi.',
  },
  'Too many attempts. Try again in a few minutes.': {
    de: 'Zu viele Versuche. Versuchen Sie es in ein paar Minuten noch einmal.',
    fr: 'Trop de tentatives. Réessayez dans quelques minutes.',
    es: 'Demasiados intentos. Inténtelo de nuevo en unos minutos.',
    id: 'Terlalu banyak percobaan. Coba lagi dalam beberapa menit.',
  },
  'That did not work. Try again later.': {
    de: 'Das hat nicht funktioniert. Versuchen Sie es später noch einmal.',
    fr: 'Cela n’a pas fonctionné. Réessayez plus tard.',
    es: 'No ha funcionado. Inténtelo de nuevo más tarde.',
    id: 'Itu tidak berhasil. Coba lagi nanti.',
  },
} as const satisfies Readonly<Record<string, Translations>>;

export type PageText = keyof typeof words;

export const pageTexts = words as Readonly<Record<PageText, Translations>>;

export const isPageText = (text: string): text is PageText => Object.hasOwn(words, text);

/** A text in a language, with values in the place of their names. It is no HTML yet. */
export function say(language: PageLanguage, text: PageText, values: Readonly<Record<string, string | number>> = {}) {
  const said: string = language === 'en' ? text : words[text][language];
  return said.replace(/\{(\w+)\}/g, (hole, name: string) => String(values[name] ?? hole));
}

/** Characters; browsers send a few dozen. */
const maxHeader = 1_000;
/** `in` is the former code of Indonesian. */
const known: ReadonlyMap<string, PageLanguage> = new Map([
  ...(['en', 'de', 'fr', 'es', 'id'] as const).map((language) => [language, language] as const),
  ['in', 'id'],
]);

/** The one that a browser prefers (`Accept-Language`, RFC 9110, section 12.5.4), or English. */
export function pageLanguageOf(headers: IncomingHttpHeaders): PageLanguage {
  const wanted = (headers['accept-language'] ?? '').slice(0, maxHeader).split(',');
  const ranges = wanted.map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return {
      language: known.get(tag.split('-', 1)[0] ?? ''),
      weight: weight === undefined ? 1 : Number(weight.slice(2)),
    };
  });
  const usable = ranges.filter(({ language, weight }) => language !== undefined && weight > 0);
  return usable.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? 'en';
}

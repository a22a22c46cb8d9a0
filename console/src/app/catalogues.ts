import type { Language } from '../lib/words/language.ts';
import type { Catalogue } from '../lib/words/words.ts';

/** Each is a separate file; the browser loads only the one that it needs. */
const loaders: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ readonly default: Catalogue }>>> = {
  de: () => import('../lib/words/catalogues/de.json'),
  es: () => import('../lib/words/catalogues/es.json'),
  fr: () => import('../lib/words/catalogues/fr.json'),
  id: () => import('../lib/words/catalogues/id.json'),
};

/** The service's sentences, in separate files that are loaded beside the application. */
const ofService: Readonly<Record<Language, () => Promise<{ readonly default: Catalogue }>>> = {
  // Where an editor says something else than apps do: a phone, not an installation.
  en: () => import('../lib/words/catalogues/service-en.json'),
  de: () => import('../lib/words/catalogues/service-de.json'),
  es: () => import('../lib/words/catalogues/service-es.json'),
  fr: () => import('../lib/words/catalogues/service-fr.json'),
  id: () => import('../lib/words/catalogues/service-id.json'),
};

/** The texts of a language; nothing where they are the source's own, which are English. */
export const catalogueOf = async (language: Language): Promise<Catalogue> =>
  language === 'en' ? {} : (await loaders[language]()).default;

export const serviceCatalogueOf = async (language: Language): Promise<Catalogue> =>
  (await ofService[language]()).default;

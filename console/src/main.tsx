import './app/mantine.css';
import '@mantine/notifications/styles.css';
import './app/look.css';
import { catalogueOf, serviceCatalogueOf } from './app/catalogues.ts';
import { presentLanguage } from './lib/words/chosen-language.ts';
import { setServiceCatalogue, speak } from './lib/words/words.ts';

const language = presentLanguage();
try {
  const ofService = serviceCatalogueOf(language);
  speak(language, await catalogueOf(language));
  document.documentElement.lang = language;
  setServiceCatalogue(await ofService);
} catch {
  // The texts of the language could not be loaded; English ones are part of the console.
}

// Only now, because modules translate their constants when they are loaded.
const { start } = await import('./app/start.tsx');
const root = document.getElementById('root');
if (root) start(root);

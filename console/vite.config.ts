import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * The first script chooses a language before it loads the rest, so that the browser would learn of the rest one round trip later. It is told
 * in the page.
 */
function preloadStart(): Plugin {
  return {
    name: 'preload-start',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [file] : []));
        const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/app/start.tsx'));
        if (!start) throw new Error('There is no script for app/start.tsx.');
        return [start.fileName, ...start.imports]
          .filter((file) => !html.includes(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/console/${file}` },
            injectTo: 'head',
          }));
      },
    },
  };
}

export default defineConfig({
  base: '/console/',
  plugins: [react(), preloadStart()],
  build: {
    // Small pictures would become data: addresses inside scripts; as files they are cached on their own.
    assetsInlineLimit: 0,
    // All styles come with the first page: one file that fails to load is not asked for again, and its page would be bare.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    target: 'es2023',
    chunkSizeWarningLimit: 750,
    // What many pages share is one file: without it a first page asked for a hundred small ones.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What looks texts up runs before everything that has texts, so that constants may be translated.
            {
              name: 'words',
              test: /[\\/]lib[\\/]words[\\/](?!translated-error)[\w-]+\.ts$|vite\/preload-helper/,
              priority: 2,
            },
            // What is loaded until the first page of an app is there, and nothing else.
            { name: 'first', test: /\/(?:app\/start|frame\/app-page|features\/home\/home-page)\.tsx$/, priority: 1 },
            // The library of the plots is loaded with the first of them, and what only some need of it with these.
            { name: 'shared', minShareCount: 5, test: /^(?!.*node_modules[\\/](?:echarts|zrender)[\\/])/ },
          ],
        },
      },
    },
  },
  server: { proxy: { '/console/api': 'http://127.0.0.1:8080' } },
});

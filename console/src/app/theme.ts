import {
  Badge,
  Button,
  createTheme,
  Menu,
  Modal,
  MultiSelect,
  Notification,
  NumberInput,
  Select,
  Text,
  Textarea,
} from '@mantine/core';
import { offeredOf } from '../components/form/offered.ts';
import { t } from '../lib/words/words.ts';

export const theme = createTheme({
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Badge: Badge.extend({ defaultProps: { variant: 'light', tt: 'none', miw: 'max-content' } }),
    // The one of a page that matters most is filled.
    Button: Button.extend({ defaultProps: { variant: 'default' } }),
    // Locking the page's scrolling would insert a style element; look.css does it instead.
    Modal: Modal.extend({
      defaultProps: {
        closeButtonProps: { 'aria-label': t('Close') },
        lockScroll: false,
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
      },
    }),
    // The focus is on the first entry; before it would be an element that a menu must not contain.
    Menu: Menu.extend({
      defaultProps: { shadow: 'md', position: 'bottom-end', withInitialFocusPlaceholder: false },
    }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': t('Close the message') } } }),
    // A number out of range stays as it was typed, and saving says at the field what is allowed.
    NumberInput: NumberInput.extend({ defaultProps: { clampBehavior: 'none' } }),
    // A list that is cut off says so.
    Select: Select.extend({ defaultProps: { comboboxProps: { shadow: 'md' }, filter: offeredOf } }),
    MultiSelect: MultiSelect.extend({ defaultProps: { filter: offeredOf } }),
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
    Textarea: Textarea.extend({ defaultProps: { autosize: true } }),
  },
});

// The client makes secrets of random numbers; this gives them to React Native, and comes first.
import 'react-native-get-random-values';
import { registerRootComponent } from 'expo';
import { App } from './app.tsx';

registerRootComponent(App);

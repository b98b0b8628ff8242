"""Sentences in other languages, as people type claims: ten in each of ten languages, and a few in others."""

FOREIGN = {
    "German": """Der Mount Everest ist höher als der K2.
Italien hat die Fußball-Weltmeisterschaft fünfmal gewonnen.
Berlin ist seit 1990 die Hauptstadt von Deutschland.
Die Donau fließt durch mehr Länder als der Rhein.
Albert Einstein wurde 1879 in Ulm geboren.
Der Film wurde im Jahr 1994 in Frankreich gedreht.
Das Unternehmen hatte 2019 mehr als 3.000 Mitarbeiter.
Wasser siedet bei niedrigem Druck unter 100 Grad.
Keine andere Stadt in Europa hat so viele Brücken.
Beethoven schrieb neun Sinfonien und eine einzige Oper.""",
    "French": """Le mont Blanc est plus haut que le Cervin.
Paris est la capitale de la France depuis des siècles.
Marie Curie a reçu deux prix Nobel.
La Loire est le plus long fleuve de France.
Le film est sorti en 1994 dans trois pays.
Victor Hugo est né à Besançon en 1802.
Cette entreprise emploie plus de trois mille personnes.
Il y a huit planètes dans le système solaire.
Aucune autre ville n'a autant de musées.
L'Italie a remporté la Coupe du monde cinq fois.""",
    "Spanish": """El Aconcagua es más alto que el Chimborazo.
Madrid es la capital de España desde 1561.
Cervantes escribió la segunda parte del Quijote en 1615.
El río Amazonas atraviesa tres países de Sudamérica.
Italia ganó la Copa del Mundo cinco veces.
La película se estrenó en 1994 en Argentina.
Gabriel García Márquez nació en Aracataca en 1927.
Hay ocho planetas en el sistema solar.
La empresa tenía más de tres mil empleados.
Ninguna otra ciudad tiene tantos puentes como esta.""",
    "Italian": """Il Monte Bianco è più alto del Cervino.
Roma è la capitale d'Italia dal 1871.
L'Italia ha vinto la Coppa del Mondo cinque volte.
Il Po attraversa quattro regioni del nord.
Dante nacque a Firenze nel 1265.
Il film uscì nelle sale nel 1994.
Giuseppe Verdi compose l'Aida per il teatro del Cairo.
La popolazione della città è superiore a un milione.
Nessun'altra squadra ha vinto tanti campionati.
Ci sono otto pianeti nel sistema solare.""",
    "Portuguese": """O Brasil venceu a Copa do Mundo cinco vezes.
Lisboa é a capital de Portugal desde 1255.
O rio Amazonas é mais longo que o Nilo.
Fernando Pessoa nasceu em Lisboa em 1888.
A população da cidade é maior do que a do Porto.
O filme foi lançado em 1994 em três países.
Há oito planetas no sistema solar.
A empresa tinha mais de três mil funcionários.
Nenhuma outra cidade tem tantas pontes.
Machado de Assis escreveu nove romances e muitos contos.""",
    "Dutch": """De Mount Everest is hoger dan de K2.
Amsterdam is de hoofdstad van Nederland.
Italië won het wereldkampioenschap voetbal vijf keer.
De Rijn stroomt door zes landen van Europa.
Rembrandt werd in 1606 in Leiden geboren.
De film werd in 1994 in België uitgebracht.
Het bedrijf had meer dan drieduizend werknemers.
Er zijn acht planeten in het zonnestelsel.
Geen andere stad heeft zoveel bruggen.
Van Gogh schilderde de sterrennacht in een inrichting.""",
    "Swedish": """Mount Everest är högre än K2.
Stockholm är Sveriges huvudstad sedan 1634.
Italien har vunnit världsmästerskapet i fotboll fem gånger.
Göta älv rinner genom Göteborg och Trollhättan.
Astrid Lindgren föddes i Vimmerby år 1907.
Filmen hade premiär 1994 i tre länder.
Företaget hade mer än tre tusen anställda.
Det finns åtta planeter i solsystemet.
Ingen annan stad har så många broar.
Alfred Nobel uppfann dynamiten och grundade ett pris.""",
    "Polish": """Mount Everest jest wyższy niż K2.
Warszawa jest stolicą Polski od 1596 roku.
Włochy zdobyły mistrzostwo świata pięć razy.
Wisła jest najdłuższą rzeką w kraju.
Fryderyk Chopin urodził się w 1810 roku.
Film miał premierę w 1994 roku we Francji.
Firma zatrudniała ponad trzy tysiące osób.
W Układzie Słonecznym jest osiem planet.
Żadne inne miasto nie ma tylu mostów.
Maria Skłodowska dostała dwie Nagrody Nobla i pracowała w Paryżu.""",
    "Finnish": """Mount Everest on korkeampi kuin K2.
Helsinki on ollut Suomen pääkaupunki vuodesta 1812.
Italia voitti jalkapallon maailmanmestaruuden viisi kertaa.
Jean Sibelius syntyi Hämeenlinnassa vuonna 1865.
Saimaa on Suomen suurin järvi ja se on syvä.
Elokuva julkaistiin vuonna 1994 kolmessa maassa.
Yhtiöllä oli yli kolme tuhatta työntekijää.
Aurinkokunnassa on kahdeksan planeettaa, joista yksi on Maa.
Missään muussa kaupungissa ei ole niin monta siltaa.
Kalevala on suomalainen eepos, jonka Elias Lönnrot kokosi.""",
    "Turkish": """Everest Dağı K2'den daha yüksek bir dağdır.
Ankara 1923 yılında Türkiye'nin başkenti oldu.
İtalya Dünya Kupası'nı beş kez kazandı.
Van Gölü Türkiye'nin en büyük gölüdür.
Orhan Pamuk 1952 yılında İstanbul'da doğdu.
Film 1994 yılında üç ülkede gösterime girdi.
Şirketin üç binden fazla çalışanı vardı.
Güneş sisteminde sekiz gezegen vardır ve biri Dünya'dır.
Başka hiçbir şehirde bu kadar çok köprü yok.
Nobel ödülü alan ilk Türk yazar Orhan Pamuk'tur.""",
    "others": """Mount Everest er højere end K2 og ligger i Nepal.
Praha je hlavní město České republiky od roku 1993.
Budapest Magyarország fővárosa és legnagyobb városa.
București este capitala României și cel mai mare oraș.
Oslo er hovedstaden i Norge og landets største by.
Zagreb je glavni grad Hrvatske i najveći je u zemlji.
Jakarta adalah kota terbesar di Indonesia dan ibu kotanya.
Barcelona és la capital de Catalunya i té molts ponts.""",
}
